// SPDX-License-Identifier: GPL-2.0

//! The kernel's counters of live objects, to see what is left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use crate::{Failure, Outcome};

/// The modules that count.
pub const MODULES: [&str; 3] = ["ubcore", "uburma", "ubsoft"];

/// How long work that was put off may take until an object is gone.
const GRACE: Duration = Duration::from_secs(2);

/// All counters at a moment, as the modules told them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot([String; MODULES.len()]);

fn path(module: &str) -> String {
    format!("/sys/kernel/debug/{module}/objects")
}

/// Reads lines of name and value.
fn parse(module: &str, text: &str, into: &mut BTreeMap<String, u64>) -> Result<(), String> {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (name, value) = (words.next(), words.next().map(str::parse));
        match (name, value, words.next()) {
            (Some(name), Some(Ok(value)), None) => {
                into.insert(format!("{module}/{name}"), value);
            }
            _ => return Err(format!("{}: '{line}' is no counter", path(module))),
        }
    }
    Ok(())
}

impl Snapshot {
    /// The counters as they are; all modules must have some.
    ///
    /// What they are is found out when somebody asks: mostly, nothing has changed.
    pub fn take() -> Result<Self, Failure> {
        let mut texts = [const { String::new() }; MODULES.len()];
        for (module, text) in MODULES.iter().zip(&mut texts) {
            *text = fs::read_to_string(path(module))
                .map_err(|err| Failure::Fail(format!("{}: {err}", path(module))))?;
            if text.trim().is_empty() {
                return Err(Failure::Fail(format!("{} is empty", path(module))));
            }
        }
        Ok(Snapshot(texts))
    }

    /// The values by `module/name`.
    fn values(&self) -> Result<BTreeMap<String, u64>, String> {
        let mut map = BTreeMap::new();
        for (module, text) in MODULES.iter().zip(&self.0) {
            parse(module, text, &mut map)?;
        }
        Ok(map)
    }

    /// The counters once no request is under way any more, or after a while.
    pub fn at_rest() -> Result<Self, Failure> {
        let start = Instant::now();
        loop {
            let now = Self::take()?;
            if now.get("ubcore/request") == 0 || start.elapsed() > GRACE {
                return Ok(now);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A counter; 0 for an unknown one.
    pub fn get(&self, name: &str) -> u64 {
        let values = self.values().unwrap_or_default();
        values.get(name).copied().unwrap_or(0)
    }

    /// Whether a counter does not matter yet: paths that were listed for a context are noted until
    /// it goes.
    fn is_pending(&self, name: &str) -> bool {
        name == "ubcore/tp_offer" && self.get("ubcore/ucontext") != 0
    }

    /// What differs from an older snapshot.
    fn difference(&self, older: &Snapshot) -> Result<Vec<String>, String> {
        if self == older {
            return Ok(Vec::new());
        }
        let (now, before) = (self.values()?, older.values()?);
        let names: BTreeSet<&String> = now.keys().chain(before.keys()).collect();
        let of = |map: &BTreeMap<String, u64>, name| map.get(name).copied().unwrap_or(0);
        Ok(names
            .into_iter()
            .filter(|name| now.get(*name) != before.get(*name) && !self.is_pending(name))
            .map(|name| {
                format!(
                    "{name}: {} before, {} now",
                    of(&before, name),
                    of(&now, name)
                )
            })
            .collect())
    }

    /// Waits until the counters are as they were then.
    pub fn compare(&self) -> Outcome {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            let difference = Snapshot::take()?.difference(self).map_err(Failure::Fail)?;
            if difference.is_empty() {
                return Ok(());
            }
            if start.elapsed() > GRACE {
                return Err(Failure::Fail(difference.join("\n")));
            }
            // Most work that was put off is done after a moment.
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }
}

/// What the objects of ubsoft take, as bytes by kind.
#[derive(Debug, Clone)]
pub struct Ledger(BTreeMap<String, u64>);

impl Ledger {
    /// The ledger as it is.
    pub fn take() -> Result<Self, Failure> {
        let path = "/sys/kernel/debug/ubsoft/ledger";
        let text = fs::read_to_string(path)?;
        let mut map = BTreeMap::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, count, bytes] = words[..] else {
                return Err(Failure::Fail(format!("{path}: '{line}' is no entry")));
            };
            match (count.parse::<u64>(), bytes.parse()) {
                (Ok(_), Ok(bytes)) => map.insert(name.to_string(), bytes),
                _ => return Err(Failure::Fail(format!("{path}: '{line}' is no entry"))),
            };
        }
        Ok(Ledger(map))
    }

    /// Bytes of a kind; 0 for an unknown one.
    pub fn bytes(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// Bytes of all kinds but some.
    pub fn bytes_but(&self, kinds: &[&str]) -> u64 {
        let wanted = |(kind, _): &(&String, &u64)| !kinds.contains(&kind.as_str());
        self.0.iter().filter(wanted).map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(text: &str) -> Snapshot {
        Snapshot([text, "", ""].map(String::from))
    }

    #[test]
    fn lines_of_name_and_value() {
        let now = snapshot("jfc 3\njfr 0\n");
        assert_eq!(now.get("ubcore/jfc"), 3);
        assert_eq!(now.get("ubcore/other"), 0);
        for bad in ["jfc\n", "jfc three\n", "jfc 3 4\n"] {
            assert!(snapshot(bad).values().is_err());
            assert!(snapshot(bad).difference(&now).is_err());
        }
    }

    #[test]
    fn differences_are_told() {
        let old = snapshot("jfc 3\njfr 0\n");
        let new = snapshot("jfc 4\njfr 0\nextra 1\n");
        assert_eq!(old.difference(&old), Ok(Vec::new()));
        assert_eq!(new.difference(&old).unwrap().len(), 2);
    }
}
