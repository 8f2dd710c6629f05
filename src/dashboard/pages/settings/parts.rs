//! The parts that several pages of the settings share, such as options, the lines of a record, and the
//! message after a change.

use chrono_tz::{TZ_VARIANTS, Tz};
use domain::availability::Concerned;
use domain::{COLORS, Locale, Right};
use view::AppointmentView;

use crate::dashboard::pages::day::steps;
use crate::dashboard::pages::prelude::*;

const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;
const WEEK: u32 = 7 * DAY;

const NAME_CHARS: usize = 60;

/// Prefixes of obsolete zone names. Each zone with an obsolete name also has a current name.
const FORMER: [&str; 6] = ["Brazil/", "Canada/", "Chile/", "Etc/", "Mexico/", "US/"];

/// The options for the time zone: the zones named after places, UTC, and the current zone.
pub(super) fn zones(current: &str) -> Vec<Choice> {
    let is_place =
        |zone: &Tz| zone.name().contains('/') && !FORMER.iter().any(|former| zone.name().starts_with(former));
    let shown =
        TZ_VARIANTS.iter().filter(|zone| is_place(zone) || zone.name() == "UTC" || zone.name() == current);
    let mut names: Vec<_> = shown.map(|zone| zone.name()).collect();
    names.sort_unstable();
    names.into_iter().map(|name| Choice::new(name, name.replace('_', " "))).collect()
}

pub(super) fn languages(view: &View) -> Vec<Choice> {
    Locale::ALL.iter().map(|locale| Choice::new(locale.as_str(), language(view, locale.as_str()))).collect()
}

pub(super) fn language(view: &View, locale: &str) -> String {
    view.words.find(&format!("language-{locale}"), &[]).unwrap_or_else(|| locale.to_owned())
}

pub(super) fn region(view: &View, code: &str) -> String {
    view.words.find(&format!("region-{code}"), &[]).unwrap_or_else(|| code.to_owned())
}

/// The options for the phone region: the countries with a name in the catalogue, in the order of their
/// names. The values are ISO 3166 codes.
pub(super) fn regions(view: &View) -> Vec<Choice> {
    let named = codes().filter_map(|code| {
        let name = view.words.find(&format!("region-{code}"), &[])?;
        Some(Choice::new(code, name))
    });
    let mut all: Vec<_> = named.collect();
    all.sort_by_cached_key(|choice| sorted_as(&choice.label));
    all
}

fn codes() -> impl Iterator<Item = String> {
    let letters = || 'A'..='Z';
    letters().flat_map(move |first| letters().map(move |second| format!("{first}{second}")))
}

/// The sort key of a name: its letters without accents.
fn sorted_as(name: &str) -> String {
    let plain = |c: char| match c {
        'À' | 'Á' | 'Â' | 'Å' | 'à' | 'â' | 'ã' | 'å' => 'a',
        'Ç' | 'ç' => 'c',
        'É' | 'È' | 'é' | 'è' | 'ê' | 'ë' => 'e',
        'Î' | 'Ï' | 'í' | 'î' | 'ï' => 'i',
        'ô' | 'ó' | 'ö' => 'o',
        'ü' | 'û' => 'u',
        other => other.to_ascii_lowercase(),
    };
    name.chars().map(plain).collect()
}

/// The options of a field for a number: the usual numbers and the current number. `say` returns the text of a number.
/// If `none` is set, the first option has an empty value, and `none` is its text.
pub(super) fn numbers(
    usual: &[u32],
    current: &str,
    none: Option<String>,
    say: impl Fn(u32) -> String,
) -> Vec<Choice> {
    let mut numbers: Vec<u32> = usual.iter().copied().chain(current.parse()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let said = numbers.into_iter().map(|number| Choice::new(number.to_string(), say(number)));
    none.map(|label| Choice::new("", label)).into_iter().chain(said).collect()
}

/// A text with the first `most` names and the number of further names.
pub(super) fn named(view: &View, names: &[&str], most: usize) -> String {
    let first = names.iter().take(most).map(|name| plain(name, NAME_CHARS)).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(most).filter(|more| *more > 0) {
        None => first,
        Some(more) => {
            let values = [("names", Value::Text(&first)), ("count", Value::Count(more as u64))];
            view.words.say("settings-and-more", &values)
        }
    }
}

/// The field with the colours of the palette as choices.
pub(super) fn colors(view: &View) -> Field {
    let choice = |number: u32| Choice::new(number.to_string(), color(view, &number.to_string()));
    let none = Choice::new("", view.t("color-none"));
    Field::choices("color", "radio", view.t("color"), std::iter::once(none).chain(COLORS.map(choice)))
}

/// The name of a colour of the palette.
pub(super) fn color(view: &View, number: &str) -> String {
    match number {
        "" => view.t("color-none"),
        number => view.words.find(&format!("color-{number}"), &[]).unwrap_or_else(|| number.to_owned()),
    }
}

/// A duration in the largest unit in which it is a whole number.
pub(super) fn how_long(view: &View, minutes: u32) -> String {
    let (word, unit) = match minutes {
        0 => ("count-minutes", 1),
        weeks if weeks.is_multiple_of(WEEK) => ("count-weeks", WEEK),
        days if days.is_multiple_of(DAY) => ("count-days", DAY),
        hours if hours.is_multiple_of(HOUR) => ("count-hours", HOUR),
        _ => ("count-minutes", 1),
    };
    view.count(word, u64::from(minutes / unit))
}

pub(super) fn how_many_days(view: &View, days: u32) -> String {
    if days > 0 && days.is_multiple_of(365) {
        return view.count("count-years", u64::from(days / 365));
    }
    view.count("count-days", u64::from(days))
}

/// A line of a record. For an empty value, the line says that it is empty.
pub(super) fn line(view: &View, label: &str, value: &str) -> Line {
    let value = value.trim();
    (view.t(label), if value.is_empty() { view.t("nothing-there") } else { value.to_owned() })
}

pub(super) fn versions(filled: &Filled, mine: Vec<Line>, theirs: Vec<Line>) -> Versions {
    let both = std::iter::zip(mine, theirs);
    filled.versions(both.map(|((label, mine), (_, theirs))| (label, mine, theirs)))
}

/// Checks the right for a page that has only a form. If the business is suspended, the page is refused even if the
/// member has the right.
pub(super) fn only_for_changing(member: &Member, right: Right) -> Result<(), Refused> {
    if member.profile.suspended {
        return Err(Refused::Suspended);
    }
    member.must(right)
}

#[derive(Default)]
pub(super) struct Done {
    pub(super) text: String,
    pub(super) outside: String,
    pub(super) appointments: Vec<AppointmentView>,
    pub(super) more: String,
    pub(super) next: String,
}

impl Done {
    pub(super) fn said(member: &Member) -> Self {
        let added = "settings-added";
        let text = member.done(&[
            ("saved", "saved"),
            ("offered", "saved"),
            ("zone", "saved"),
            ("week", "saved"),
            ("day", "saved"),
            ("holidays", "hours-holidays-done"),
            ("added", added),
            ("off", added),
            ("removed", "settings-removed"),
            ("deleted", "settings-deleted"),
        ]);
        Self { text, ..Self::default() }
    }

    /// Adds the link to the next setup step of a new business.
    pub(super) async fn with_next(mut self, member: &Member) -> Result<Self, Refused> {
        if !self.text.is_empty() && steps::are_left(member).await? {
            self.next = member.path_to("today");
        }
        Ok(self)
    }

    /// Adds the appointments that the change has left outside the bookable times.
    pub(super) async fn with_outside(
        mut self,
        member: &Member,
        concerned: Option<Concerned>,
    ) -> Result<Self, Refused> {
        let Some(concerned) = concerned.filter(|_| !self.text.is_empty()) else { return Ok(self) };
        let (outside, count) = member.business.outside(concerned).await?;
        if count == 0 {
            return Ok(self);
        }
        self.outside = member.count("outside", count as u64);
        if let Some(more) = count.checked_sub(outside.len()).filter(|more| *more > 0) {
            self.more = member.count("outside-more", more as u64);
        }
        self.appointments = outside;
        Ok(self)
    }
}

impl View {
    pub(super) fn customer(&self, visit: &AppointmentView) -> String {
        let known = visit.contact_name.as_ref().or(visit.contact_phone.as_ref());
        known.cloned().unwrap_or_else(|| self.t("somebody"))
    }
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::*;
    use crate::dashboard::words::words;
    use crate::http::read::FromText;
    use crate::rest::values::phone::PhoneRegion;

    #[test]
    fn every_region_can_be_set_and_has_a_name_in_both_languages() {
        let named = |locale, code: &str| words(locale).find(&format!("region-{code}"), &[]).is_some();
        let regions: Vec<_> = codes().filter(|code| named(Locale::En, code)).collect();
        assert_eq!(regions.len(), 242);
        for code in codes() {
            assert_eq!(named(Locale::Fr, &code), regions.contains(&code), "{code}");
        }
        for code in regions {
            assert_eq!(PhoneRegion::from_text(&code).map(PhoneRegion::into_string), Ok(code));
        }
    }

    #[test]
    fn names_are_sorted_as_in_a_dictionary() {
        let mut names = ["Zambie", "Éthiopie", "Estonie", "Åland"];
        names.sort_by_key(|name| sorted_as(name));
        assert_eq!(names, ["Åland", "Estonie", "Éthiopie", "Zambie"]);
    }
}
