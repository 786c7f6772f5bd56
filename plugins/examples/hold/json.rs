// SPDX-License-Identifier: BSL-1.0
//
// json.rs: reads JSON documents.

/// A JSON value with the content that the plugin needs.
pub enum Json {
    Object(Vec<(String, Json)>),
    Text(String),
    Other,
}

impl Json {
    /// Parses a whole text. Returns nothing if it is not JSON or has more than 256 levels.
    pub fn parse(text: &[u8]) -> Option<Json> {
        let mut parser = Parser { rest: text };
        let value = parser.value(MAX_LEVELS)?;
        parser.skip_blanks();
        parser.rest.is_empty().then(|| value)
    }

    /// Returns the member of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }
    /// Returns the member of an object if it is a string, otherwise an empty string.
    pub fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Json::Text(text)) => text,
            _ => "",
        }
    }
}

/// Parses JSON at the start of `rest`. The functions return `None` if it is invalid.
struct Parser<'a> {
    rest: &'a [u8],
}

const MAX_LEVELS: usize = 256;

impl Parser<'_> {
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.rest.first() {
            self.rest = &self.rest[1..];
        }
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Consumes the next character if it is `wanted`. Returns whether it is.
    fn take(&mut self, wanted: u8) -> bool {
        self.skip_blanks();
        let found = self.rest.first() == Some(&wanted);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn value(&mut self, levels: usize) -> Option<Json> {
        if levels == 0 {
            return None;
        }
        if self.take(b'{') {
            return self.members(levels).map(Json::Object);
        }
        if self.take(b'[') {
            return self.elements(levels);
        }
        if self.rest.first() == Some(&b'"') {
            return self.text().map(Json::Text);
        }
        self.word()
    }

    fn members(&mut self, levels: usize) -> Option<Vec<(String, Json)>> {
        let mut members = Vec::new();
        if self.take(b'}') {
            return Some(members);
        }
        loop {
            self.skip_blanks();
            let key = self.text()?;
            if !self.take(b':') {
                return None;
            }
            members.push((key, self.value(levels - 1)?));
            if self.take(b'}') {
                return Some(members);
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    fn elements(&mut self, levels: usize) -> Option<Json> {
        if self.take(b']') {
            return Some(Json::Other);
        }
        loop {
            self.value(levels - 1)?;
            if self.take(b']') {
                return Some(Json::Other);
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    /// Reads a number, true, false or null.
    fn word(&mut self) -> Option<Json> {
        let is_part = |c: &u8| c.is_ascii_alphanumeric() || b"+-.".contains(c);
        let size = self.rest.iter().take_while(|c| is_part(c)).count();
        self.rest = &self.rest[size..];
        (size > 0).then(|| Json::Other)
    }

    fn text(&mut self) -> Option<String> {
        if self.next()? != b'"' {
            return None;
        }
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => {
                    let c = self.escaped()?;
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                control if control < 0x20 => return None,
                other => text.push(other),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            same @ (b'"' | b'\\' | b'/') => same as char,
            _ => return None,
        })
    }

    fn code_unit(&mut self) -> Option<u16> {
        let digits = self.rest.get(..4)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        self.rest = &self.rest[4..];
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }

    fn code_point(&mut self) -> Option<char> {
        let first = self.code_unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first.into());
        }
        if self.next()? != b'\\' || self.next()? != b'u' {
            return None;
        }
        let second = self.code_unit()?;
        char::decode_utf16([first, second]).next()?.ok()
    }
}
