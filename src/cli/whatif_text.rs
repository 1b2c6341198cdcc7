//! The result of a sensitivity analysis as text: the bottleneck, then its evidence.

use narrows_study::experiment::whatif::{GAIN_MIN, Gain, ParameterChange, Refusal, Saturation, SpeedUpGain, WhatIf};
use narrows_study::report::number::{display_unit, percent};
use narrows_study::report::{Cell, Column, ReportTable};

/// The number of lines of each table that are shown.
const LINES_SHOWN: usize = 8;

/// Returns the metric, the bottleneck, the tables of gains, and the trials that could not be made; `all` shows whole
/// tables.
pub fn text(found: &WhatIf, all: bool) -> String {
    let shown = if all { usize::MAX } else { LINES_SHOWN };
    let (ups, trade_offs): (Vec<&Gain>, Vec<&Gain>) = found.gains.iter().partition(|gain| !gain.is_trade_off());
    let parts = [
        head(found),
        bottleneck(found),
        speed_ups("resource, faster", &resources(found), shown),
        speed_ups(
            "two resources, faster",
            &found.pairs.iter().filter(|pair| is_change(pair.ratio)).collect::<Vec<_>>(),
            shown,
        ),
        gains("single parameter: gains", ups.iter().filter(|gain| gain.ratio >= GAIN_MIN).copied(), shown),
        gains("single parameter: costs", ups.iter().rev().filter(|gain| gain.ratio <= 1.0 / GAIN_MIN).copied(), shown),
        gains("trade-off", trade_offs.into_iter().filter(|gain| is_change(gain.ratio)), shown),
        without_effect(found),
        refused(&found.refused),
        fixed(found),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns a number with two decimals, and without a sign if it rounds to zero.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}

/// Returns whether a ratio differs from 1 by more than the phase of periodic events may cause.
fn is_change(ratio: f64) -> bool {
    ratio >= GAIN_MIN || ratio <= 1.0 / GAIN_MIN
}

fn head(found: &WhatIf) -> String {
    let metric = &found.metric;
    let better = if found.more_is_better { "more" } else { "less" };
    let mut text =
        format!("{} is {:.3} {}; {better} is better\n", metric.name, metric.value, display_unit(metric.unit));
    if !found.shortening.is_empty() {
        text += &format!(
            "runs are shortened with {}, which changes the metric by at most 0.2 %\n",
            found.shortening.join(", ")
        );
    }
    found.notes.iter().for_each(|note| text += &format!("{note}\n"));
    text
}

/// Returns the bottleneck, the point beyond which a speed-up has no further effect, and the next bottleneck.
fn bottleneck(found: &WhatIf) -> String {
    let Some(bottleneck) = &found.bottleneck else {
        return "No bottleneck: a faster resource improves the metric by less than 1 %, and so does each pair of those that matter most.\n".to_owned();
    };
    let mut text = format!("Bottleneck: {}", bottleneck.name());
    if bottleneck.resources.len() > 1 {
        text += "; separately their gains add up to less than half of this";
    }
    text += &format!(
        ".\n  {} gives +{} (elasticity {:.2}).\n",
        values(&bottleneck.changes),
        percent(bottleneck.ratio - 1.0),
        rounded(bottleneck.elasticity())
    );
    if let Some(saturation) = &found.saturation {
        text += &saturation_text(saturation);
    }
    text
}

fn saturation_text(saturation: &Saturation) -> String {
    let Saturation { changes, ratio, limit, next, .. } = saturation;
    let gain = percent(ratio - 1.0);
    let mut text = match limit {
        Some(limit) => format!(
            "  {} gives +{gain}. A further speed-up cannot be compared: {}.\n  There",
            values(changes),
            limit.reason
        ),
        None => format!("  Beyond {} (+{gain}) the metric improves no further.\n  There", values(changes)),
    };
    text += &match next {
        Some(next) => format!(" the next bottleneck is {}.\n", next.name()),
        None => " no resource gains 1 % when it is faster.\n".to_owned(),
    };
    text
}

/// Returns the changed parameters with their new values.
fn values(changes: &[ParameterChange]) -> String {
    let assignment = |change: &ParameterChange| format!("{} = {}", change.key, change.value);
    changes.iter().map(assignment).collect::<Vec<_>>().join(", ")
}

/// Returns the resources whose speed has an effect, positive or negative.
fn resources(found: &WhatIf) -> Vec<&SpeedUpGain> {
    let has_effect = |gain: &&SpeedUpGain| is_change(gain.ratio) || gain.slower_ratio.is_some_and(is_change);
    found.resources.iter().filter(has_effect).collect()
}

fn speed_ups(head: &str, gains: &[&SpeedUpGain], shown: usize) -> String {
    if gains.is_empty() {
        return String::new();
    }
    let has_slower = gains.iter().any(|gain| gain.slower_ratio.is_some());
    let mut columns = vec![Column::new(head), Column::new("ratio").decimals(3), Column::new("elasticity").decimals(2)];
    if has_slower {
        columns.push(Column::new("slower: ratio").decimals(3));
    }
    let mut table = ReportTable::new(columns);
    for gain in gains.iter().take(shown) {
        let mut row: Vec<Cell> = vec![gain.name().into(), gain.ratio.into(), rounded(gain.elasticity()).into()];
        if has_slower {
            row.push(gain.slower_ratio.map_or("–".into(), Cell::from));
        }
        table.push(row);
    }
    table.text() + &omitted_line(gains.len(), shown)
}

fn gains<'g>(head: &str, gains: impl Iterator<Item = &'g Gain>, shown: usize) -> String {
    let gains: Vec<&Gain> = gains.collect();
    if gains.is_empty() {
        return String::new();
    }
    let ratio = Column::new("ratio").decimals(3);
    let mut table = ReportTable::new(vec![Column::new(head), Column::new("from"), Column::new("to"), ratio]);
    for gain in gains.iter().take(shown) {
        let Gain { key, before, value, ratio, .. } = gain;
        table.push(vec![key.as_str().into(), before.as_str().into(), value.as_str().into(), Cell::from(*ratio)]);
    }
    table.text() + &omitted_line(gains.len(), shown)
}

fn omitted_line(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("({more} more with --all)\n"),
    }
}

fn without_effect(found: &WhatIf) -> String {
    if found.ineffective.is_empty() {
        return String::new();
    }
    let line = |reason: &str| if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let lines = found.ineffective.iter().map(|parameter| format!("  {}{}\n", parameter.key, line(&parameter.reason)));
    "No effect:\n".to_owned() + &lines.collect::<String>()
}

fn refused(refused: &[Refusal]) -> String {
    if refused.is_empty() {
        return String::new();
    }
    let mut text = "Not tried or not compared:\n".to_owned();
    for refusal in refused {
        let (change, Refusal { reason, advice, .. }) = (refusal.change(), refusal);
        text += &format!("  {change}: {reason}\n");
        if !advice.is_empty() {
            text += &format!("    {advice}\n");
        }
    }
    text
}

fn fixed(found: &WhatIf) -> String {
    match found.fixed.is_empty() {
        true => String::new(),
        false => format!(
            "Not changed, since a change would describe another machine or another load (use `narrows sweep`):\n  {}\n",
            found.fixed.join("\n  ")
        ),
    }
}
