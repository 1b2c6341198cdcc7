//! The result of a sensitivity analysis as JSON.

use super::{Gain, IneffectiveParameter, ParameterChange, Refusal, Saturation, SettingGain, SpeedUpGain, WhatIf};
use serde_json::{Value as Json, json};

impl WhatIf {
    /// Returns the result as JSON.
    pub fn json(&self) -> Json {
        json!({
            "metric": self.metric.name,
            "value": self.metric.value,
            "unit": self.metric.unit,
            "more_is_better": self.more_is_better,
            "saturated": self.is_saturated,
            "notes": self.notes,
            "tried_with": self.shortening,
            "bottleneck": self.bottleneck.as_ref().map(speed_up),
            "saturates": self.saturation.as_ref().map(saturation),
            "resources": self.resources.iter().map(speed_up).collect::<Vec<_>>(),
            "pairs": self.pairs.iter().map(speed_up).collect::<Vec<_>>(),
            "gains": self.gains.iter().map(gain).collect::<Vec<_>>(),
            "settings": self.settings.iter().map(setting).collect::<Vec<_>>(),
            "dead": self.ineffective.iter().map(ineffective).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(refusal).collect::<Vec<_>>(),
            "fixed": self.fixed,
            "runs": self.runs,
        })
    }
}

fn changes(changes: &[ParameterChange]) -> Json {
    let change = |ParameterChange { key, old_value, value, factor }: &ParameterChange| json!({ "key": key, "before": old_value, "value": value, "factor": factor });
    changes.iter().map(change).collect()
}

fn speed_up(gain: &SpeedUpGain) -> Json {
    json!({
        "resources": gain.resources,
        "changes": changes(&gain.changes),
        "ratio": gain.ratio,
        "elasticity": gain.elasticity(),
        "slower_ratio": gain.slower_ratio,
    })
}

fn gain(gain: &Gain) -> Json {
    let Gain { key, old_value, value, factor, ratio, meaning } = gain;
    json!({
        "key": key,
        "before": old_value,
        "value": value,
        "factor": factor,
        "ratio": ratio,
        "elasticity": gain.elasticity(),
        "meaning": meaning.map(|meaning| meaning.name()),
    })
}

fn setting(gain: &SettingGain) -> Json {
    let SettingGain { key, old_value, value, ratio } = gain;
    json!({ "key": key, "before": old_value, "value": value, "ratio": ratio })
}

fn ineffective(parameter: &IneffectiveParameter) -> Json {
    json!({ "key": parameter.key, "reason": parameter.reason })
}

fn refusal(refusal: &Refusal) -> Json {
    json!({ "change": refusal.change(), "reason": refusal.reason, "advice": refusal.advice })
}

fn saturation(saturation: &Saturation) -> Json {
    json!({
        "changes": changes(&saturation.changes),
        "ratio": saturation.ratio,
        "limit": saturation.limit.as_ref().map(refusal),
        "then": saturation.next.as_ref().map(speed_up),
    })
}
