//! The result of a sensitivity analysis as text: the bottleneck, then its evidence.

use super::{GAIN_MIN, Gain, Refusal, Saturation, SettingGain, SpeedUpGain, WhatIf, new_values};
use crate::report::number::{display_unit, percent};
use crate::report::{Cell, Column, ReportTable};

/// The number of lines of each table that are shown.
const LINES_SHOWN: usize = 8;

/// Returns the metric, the bottleneck, the tables of gains, and the trials that could not be made; `shows_all` shows
/// whole tables.
pub fn text(result: &WhatIf, shows_all: bool) -> String {
    let lines_max = if shows_all { usize::MAX } else { LINES_SHOWN };
    let (speed_up_gains, trade_offs): (Vec<&Gain>, Vec<&Gain>) =
        result.gains.iter().partition(|gain| !gain.is_trade_off());
    let parts = [
        headline(result),
        bottleneck(result),
        speed_ups("resource, faster", &resources(result), lines_max),
        speed_ups(
            "two resources, faster",
            &result.pairs.iter().filter(|pair| is_significant(pair.ratio)).collect::<Vec<_>>(),
            lines_max,
        ),
        gains(
            "single parameter: gains",
            speed_up_gains.iter().filter(|gain| gain.ratio >= GAIN_MIN).copied(),
            lines_max,
        ),
        gains(
            "single parameter: costs",
            speed_up_gains.iter().rev().filter(|gain| gain.ratio <= 1.0 / GAIN_MIN).copied(),
            lines_max,
        ),
        gains("trade-off", trade_offs.into_iter().filter(|gain| is_significant(gain.ratio)), lines_max),
        settings(&result.settings, lines_max),
        without_effect(result),
        refused(&result.refused),
        fixed(result),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Rounds a number to two decimals; a result of zero has no sign.
fn round_number(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}

/// Returns whether a ratio differs from 1 by more than the phase of periodic events may cause.
fn is_significant(ratio: f64) -> bool {
    ratio >= GAIN_MIN || ratio <= 1.0 / GAIN_MIN
}

fn headline(result: &WhatIf) -> String {
    let metric = &result.metric;
    let better = if result.more_is_better { "more" } else { "less" };
    let mut text =
        format!("{} is {:.3} {}; {better} is better\n", metric.name, metric.value, display_unit(metric.unit));
    if !result.shortening.is_empty() {
        text += &format!(
            "runs are shortened with {}, which changes the metric by at most 0.2 %\n",
            result.shortening.join(", ")
        );
    }
    result.notes.iter().for_each(|note| text += &format!("{note}\n"));
    text
}

/// Returns the bottleneck, the point beyond which a speed-up has no further effect, and the next bottleneck.
fn bottleneck(result: &WhatIf) -> String {
    let Some(bottleneck) = &result.bottleneck else {
        return "No bottleneck: a faster resource improves the metric by less than 1 %, and so does each pair of those that matter most.\n".to_owned();
    };
    let mut text = format!("Bottleneck: {}", bottleneck.name());
    if bottleneck.resources.len() > 1 {
        text += "; separately their gains add up to less than half of this";
    }
    text += &format!(
        ".\n  {} gives +{} (elasticity {:.2}).\n",
        new_values(&bottleneck.changes),
        percent(bottleneck.ratio - 1.0),
        round_number(bottleneck.elasticity())
    );
    if let Some(saturation) = &result.saturation {
        text += &saturation_text(saturation, bottleneck);
    }
    text
}

/// Returns the largest speed-up of the bottleneck with its gain, unless the line before already states it, and the next
/// bottleneck.
fn saturation_text(saturation: &Saturation, bottleneck: &SpeedUpGain) -> String {
    let Saturation { changes, ratio, limit, next, .. } = saturation;
    let gain = percent(ratio - 1.0);
    let mut text = match limit {
        Some(limit) if *changes == bottleneck.changes => {
            format!("  A further speed-up cannot be compared: {}.\n  There", limit.reason)
        }
        Some(limit) => format!(
            "  {} gives +{gain}. A further speed-up cannot be compared: {}.\n  There",
            new_values(changes),
            limit.reason
        ),
        None => format!("  Beyond {} (+{gain}) the metric improves no further.\n  There", new_values(changes)),
    };
    text += &match next {
        Some(next) => format!(" the next bottleneck is {}.\n", next.name()),
        None => " no resource gains 1 % when it is faster.\n".to_owned(),
    };
    text
}

/// Returns the resources whose speed has an effect, positive or negative.
fn resources(result: &WhatIf) -> Vec<&SpeedUpGain> {
    let has_effect = |gain: &&SpeedUpGain| is_significant(gain.ratio) || gain.slower_ratio.is_some_and(is_significant);
    result.resources.iter().filter(has_effect).collect()
}

/// Returns a table with at most `lines_max` of the rows; without rows, the text is empty.
fn table_text(columns: Vec<Column>, rows: Vec<Vec<Cell>>, lines_max: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let omitted_line = omitted_line(rows.len(), lines_max);
    let mut table = ReportTable::new(columns);
    rows.into_iter().take(lines_max).for_each(|row| table.push(row));
    table.text() + &omitted_line
}

fn speed_ups(head: &str, gains: &[&SpeedUpGain], lines_max: usize) -> String {
    let has_slower = gains.iter().any(|gain| gain.slower_ratio.is_some());
    let mut columns = vec![Column::new(head), Column::new("ratio").decimals(3), Column::new("elasticity").decimals(2)];
    columns.extend(has_slower.then(|| Column::new("slower: ratio").decimals(3)));
    let row = |gain: &&SpeedUpGain| {
        let mut row: Vec<Cell> = vec![gain.name().into(), gain.ratio.into(), round_number(gain.elasticity()).into()];
        row.extend(has_slower.then(|| gain.slower_ratio.map_or("–".into(), Cell::from)));
        row
    };
    table_text(columns, gains.iter().map(row).collect(), lines_max)
}

fn gains<'g>(head: &str, gains: impl Iterator<Item = &'g Gain>, lines_max: usize) -> String {
    let ratio = Column::new("ratio").decimals(3);
    let row = |Gain { key, old_value, value, ratio, .. }: &Gain| {
        vec![key.as_str().into(), old_value.as_str().into(), value.as_str().into(), Cell::from(*ratio)]
    };
    let columns = vec![Column::new(head), Column::new("from"), Column::new("to"), ratio];
    table_text(columns, gains.map(row).collect(), lines_max)
}

/// Returns the settings whose other value has an effect, each with that value.
fn settings(settings: &[SettingGain], lines_max: usize) -> String {
    let columns = vec![Column::new("other setting"), Column::new("from"), Column::new("ratio").decimals(3)];
    let row = |SettingGain { key, old_value, value, ratio }: &SettingGain| {
        vec![format!("{key} = {value}").into(), old_value.as_str().into(), Cell::from(*ratio)]
    };
    let significant = settings.iter().filter(|gain| is_significant(gain.ratio));
    table_text(columns, significant.map(row).collect(), lines_max)
}

fn omitted_line(total: usize, lines_max: usize) -> String {
    match total.saturating_sub(lines_max) {
        0 => String::new(),
        more => format!("({more} more with --all)\n"),
    }
}

fn without_effect(result: &WhatIf) -> String {
    if result.ineffective.is_empty() {
        return String::new();
    }
    let line = |reason: &str| if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let lines = result.ineffective.iter().map(|parameter| format!("  {}{}\n", parameter.key, line(&parameter.reason)));
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

fn fixed(result: &WhatIf) -> String {
    match result.fixed.is_empty() {
        true => String::new(),
        false => format!(
            "Not changed, since a change would describe another machine or another load (use `narrows sweep`):\n  {}\n",
            result.fixed.join("\n  ")
        ),
    }
}
