//! `fits`: the parts that may be chosen for a key of a machine, with the reasons why others do not fit.

use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, QuestionError};
use narrows_core::text::Problems;
use narrows_study::catalog::NameKind;
use narrows_study::experiment::loaded_description::LoadedDescription;
use serde_json::{Value as Json, json};

/// A part or name that may be chosen.
struct PartChoice {
    name: String,
    title: String,
    /// The override that chooses the part.
    set: String,
}

/// Returns each candidate for the key that the question names, with the override that chooses the candidate, and
/// whether the machine is then valid.
pub fn fits(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let subject = question.subject(engine)?;
    let key = question.place.as_deref().unwrap_or_default();
    let candidates = candidates(engine, key)?;
    let fits: Json = candidates.iter().map(|candidate| fit(&subject, &question.sets, candidate)).collect();
    Ok(fits.to_string())
}

fn fit(subject: &LoadedDescription, sets: &[String], candidate: &PartChoice) -> Json {
    let sets = [sets, std::slice::from_ref(&candidate.set)].concat();
    let reason = subject.read(&sets).err().map(|problems| reason(&problems));
    json!({
        "part": candidate.name,
        "title": candidate.title,
        "set": candidate.set,
        "fits": reason.is_none(),
        "reason": reason,
    })
}

/// Returns the first reason, in one line. An incompatibility precedes other problems, since these may follow from it.
fn reason(problems: &Problems) -> String {
    let list = problems.list();
    let first = list.iter().find(|problem| problem.is_incompatibility).or(list.first());
    first.map_or_else(String::new, |problem| problem.message.clone())
}

fn candidates(engine: &AnswerEngine, key: &str) -> Result<Vec<PartChoice>, QuestionError> {
    // In a node, `ni` selects the interface of that node.
    let family = key.rsplit('.').next().unwrap_or(key);
    let kind = match family {
        "host" => NameKind::Hosts,
        "ni" => NameKind::Interfaces,
        "protocol" => NameKind::Protocols,
        "fabric" => NameKind::Fabrics,
        "workload" => return Ok(workloads(engine)),
        _ => return policies(engine, key),
    };
    let names = kind.group(&engine.registry).names.into_iter();
    // Networks of whole machines are not selected by an override.
    let name_in_family =
        |name: &str| name.split_once('/').map(|(_, name)| name.to_owned()).filter(|_| !name.contains("/networks/"));
    Ok(names
        .filter_map(|(name, title)| {
            let part_name = name_in_family(&name)?;
            Some(PartChoice { set: format!("{key}={part_name}"), title, name })
        })
        .collect())
}

/// Returns the workloads, each with the values of its shortest description.
fn workloads(engine: &AnswerEngine) -> Vec<PartChoice> {
    let candidate = |(name, title): (&'static str, &'static str)| {
        let table = engine.registry.workloads().example_table(name).unwrap_or_default();
        let tree: toml::Table = table.parse().unwrap_or_default();
        let values = tree.get("workload").and_then(|workloads| workloads.get(name));
        let set = values.map_or_else(|| format!("workload={name}"), |values| format!("workload.{name}={values}"));
        PartChoice { name: name.to_owned(), title: title.to_owned(), set }
    };
    engine.registry.workloads().members().into_iter().map(candidate).collect()
}

/// Returns the alternatives that the key `key` selects.
fn policies(engine: &AnswerEngine, key: &str) -> Result<Vec<PartChoice>, QuestionError> {
    let family = engine
        .keys()
        .family(key)
        .ok_or_else(|| QuestionError::Error(format!("`{key}` is not a key that selects a part: write host, ni, protocol, fabric, workload, or a key that selects one of several tables")))?;
    let candidate = |member: &narrows_core::text::schema::Member| PartChoice {
        name: member.name.to_owned(),
        title: member.doc.to_owned(),
        set: format!("{key}={}", member.name),
    };
    Ok(family.members.iter().map(candidate).collect())
}
