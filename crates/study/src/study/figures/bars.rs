//! Bars by groups, beside each other or stacked, with published heights.

use super::axis::Shown;
use super::drawing::{Drawing, innermost};
use super::{Drawn, ReportTable};
use crate::report::{Bar, BarChart, Cell, Column, Group};
use crate::study::expression::Format;
use crate::study::expression::read::{Loops, expression, loops, template};
use crate::study::expression::{Expression, Scope, Template};
use narrows_core::text::Table;

/// Groups of bars.
#[derive(Debug)]
pub struct Bars {
    stacked: bool,
    y: Shown,
    groups: Loops,
    /// What a group is, as a column of the table.
    column: String,
    bars: Vec<Kind>,
}

/// Bars of one name, one in each group.
#[derive(Debug)]
struct Kind {
    each: Loops,
    name: Template,
    value: Expression,
    published: Option<Expression>,
    published_decimals: Option<usize>,
}

/// A kind of bar with its axes at their values.
type Fixed<'a, 's> = (&'a Kind, Scope<'s>, String);

impl Bars {
    /// Reads them.
    pub fn read(t: &mut Table<'_>, stacked: bool) -> Bars {
        let key = if stacked { "part" } else { "bar" };
        let groups = loops(t, "groups", "What the groups are, as AXIS or AXIS in SET");
        if groups.0.is_empty() && t.sound() && !t.describing() {
            t.wrong("", "`groups` is missing", "write the axis whose values are the groups, as groups = [\"host\"]");
        }
        Bars {
            stacked,
            y: t.table("y", "The axis at the left", Shown::read),
            groups,
            column: t.text("column", "What a group is, as the head of a column").or(""),
            bars: t.list(key, "The bars of each group, or the parts of each bar from the bottom", Kind::read),
        }
    }

    /// The chart, and a table with a row for each group.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> Drawn {
        let kinds: Vec<Fixed> = self.bars.iter().flat_map(|kind| kind.fixed(drawing, scope)).collect();
        let mut table = ReportTable::new(self.heads(&kinds));
        let mut groups = Vec::new();
        let mut shown = vec![false; kinds.len()];
        for group in drawing.each(scope, &self.groups) {
            let name = innermost(&group).map(|value| Format::default().words(&value)).unwrap_or_default();
            let bars: Vec<Bar> = kinds.iter().map(|(kind, fixed, _)| kind.bar(drawing, fixed, &group)).collect();
            let mut row = vec![Cell::from(name.as_str())];
            for (n, bar) in bars.iter().enumerate() {
                let height = Some(bar.parts[0]).filter(|height| !height.is_nan());
                shown[n] |= height.is_some();
                row.push(height.into());
                row.extend(kinds[n].0.published.is_some().then(|| Cell::from(bar.published)));
            }
            table.push(row);
            groups.push(Group { name, bars: self.standing(bars) });
        }
        kinds.iter().zip(&shown).for_each(|((kind, ..), some)| drawing.needs_some(*some, &kind.value));
        let legend = kinds.into_iter().map(|(_, _, name)| name).collect();
        let chart = BarChart { title, y: self.y.axis(), legend, stacked: self.stacked, groups };
        (Some(chart.svg()), Some(table))
    }

    fn heads(&self, kinds: &[Fixed]) -> Vec<Column> {
        let mut heads = vec![Column::new(&self.column)];
        for (kind, _, name) in kinds {
            heads.push(self.y.column_of(name));
            if kind.published.is_some() {
                let column = self.y.column_of(&format!("{name} in the paper"));
                heads.push(kind.published_decimals.map_or(column.clone(), |decimals| column.decimals(decimals)));
            }
        }
        heads
    }

    /// Bars beside each other, or one on top of the other.
    fn standing(&self, bars: Vec<Bar>) -> Vec<Bar> {
        match self.stacked {
            true => vec![Bar { parts: bars.into_iter().flat_map(|bar| bar.parts).collect(), ..Bar::default() }],
            false => bars,
        }
    }
}

impl Kind {
    fn read(t: &mut Table<'_>) -> Kind {
        let name = t.phrase("name", "Its name in the legend, with holes").required();
        let value = t.phrase("value", "Its height, as an expression").required();
        let published = t.phrase("published", "The published height, as an expression").optional();
        let decimals = t.count("published-decimals", "Decimals of published numbers in the table").max(12).optional();
        Kind {
            each: loops(t, "each", "One for each value of these axes"),
            name: template(t, &name),
            value: expression(t, &value),
            published: published.map(|published| expression(t, &published)),
            published_decimals: decimals.map(|decimals| decimals as usize),
        }
    }

    fn fixed<'s>(&self, drawing: &Drawing, scope: &Scope<'s>) -> Vec<Fixed<'_, 's>> {
        let scopes = drawing.each(scope, &self.each).into_iter();
        // A name may tell of the axes of the bar, not of the group it stands in.
        scopes.map(|scope| (self, scope.clone(), drawing.words(&scope, &self.name))).collect()
    }

    fn bar(&self, drawing: &Drawing, fixed: &Scope, group: &Scope) -> Bar {
        let mut scope = group.clone();
        scope.bound.extend(fixed.bound.iter().cloned());
        let height = drawing.number(&scope, &self.value).unwrap_or(f64::NAN);
        let published = self.published.as_ref().and_then(|published| drawing.number(&scope, published));
        Bar { parts: vec![height], published, ..Bar::default() }
    }
}
