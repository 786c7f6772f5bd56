// SPDX-License-Identifier: BSL-1.0
use crate::error::{Code, Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The configuration of a plugin: values by parameter name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config(BTreeMap<String, String>);

impl Config {
    pub fn new(values: BTreeMap<String, String>) -> Config {
        Config(values)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the value of a parameter that must be given.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| {
            Error::new(
                Code::InvalidArgument,
                format!("parameter \"{name}\" is required"),
            )
        })
    }

    /// Parses a value. Returns `default` if it is not given.
    pub fn parse<T: FromStr>(&self, name: &str, default: T) -> Result<T> {
        self.get(name)
            .map_or(Ok(default), |text| parsed(name, text))
    }

    /// Parses a value that must be given.
    pub fn parse_required<T: FromStr>(&self, name: &str) -> Result<T> {
        parsed(name, self.required(name)?)
    }

    /// Fails if the configuration has a parameter with another name.
    pub fn check_names(&self, known: &[&str]) -> Result<()> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Error::new(
                Code::InvalidArgument,
                format!("unknown parameter \"{name}\""),
            )),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }
}

fn parsed<T: FromStr>(name: &str, text: &str) -> Result<T> {
    text.trim().parse().map_err(|_| {
        Error::new(
            Code::InvalidArgument,
            format!("parameter \"{name}\" has the wrong value \"{text}\""),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::Config;
    use crate::Code;

    fn config(values: &[(&str, &str)]) -> Config {
        let pairs = values.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        Config::new(pairs.collect())
    }

    #[test]
    fn parses_values() {
        let some = config(&[("count", " 7 "), ("text", "x")]);
        assert_eq!(some.parse("count", 1), Ok(7));
        assert_eq!(some.parse("other", 1), Ok(1));
        assert_eq!(some.required("text"), Ok("x"));
        assert_eq!(some.iter().count(), 2);
    }

    #[test]
    fn names_the_wrong_parameter() {
        let some = config(&[("count", "many")]);
        for (error, message) in [
            (
                some.parse("count", 1).unwrap_err(),
                "parameter \"count\" has the wrong value \"many\"",
            ),
            (
                some.parse_required::<u8>("a").unwrap_err(),
                "parameter \"a\" is required",
            ),
            (
                some.check_names(&["a"]).unwrap_err(),
                "unknown parameter \"count\"",
            ),
        ] {
            assert!(error.is(Code::InvalidArgument));
            assert_eq!(error.message(), message);
        }
        assert_eq!(some.check_names(&["a", "count"]), Ok(()));
    }
}
