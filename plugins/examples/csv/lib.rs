// SPDX-License-Identifier: BSL-1.0
//
// lib.rs: a source for pipelines in Rust, as an example. It reads a CSV file whose first line names
// the columns. Each row becomes a record with a JSON object. The position of a record is the offset
// of the row after it, so that rows that are appended later are read by the next run.
//
//   path  the file
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::sync::{Mutex, MutexGuard};
use tenon::{
    Call, Code, Config, Error, ParameterV2, ParameterV2Rule, ParameterV2Type,
    ParameterV2Validation, Plugin, RecordV2, RecordV2Change, Result, SourceV2, SpecificationV1,
    SpecifierV1,
};

// -- Rows ---------------------------------------------------------------------

/// Reads one row, whose quoted fields may contain line breaks, and adds its size to `offset`.
/// Returns nothing at the end of the file.
fn read_row(file: &mut impl BufRead, offset: &mut u64) -> Result<Option<Vec<String>>> {
    let mut row = String::new();
    loop {
        let got = file.read_line(&mut row)?;
        if got == 0 && row.is_empty() {
            return Ok(None);
        }
        *offset += got as u64;
        if row.matches('"').count() % 2 == 0 {
            return Ok(Some(fields(row.trim_end_matches(&['\r', '\n'][..]))));
        }
        if got == 0 {
            return Err(Error::new(
                Code::DataLoss,
                "the last row has no closing quote",
            ));
        }
    }
}

/// Splits a row. A quote in a quoted field is doubled.
fn fields(row: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quoted = false;
    let mut characters = row.chars().peekable();
    while let Some(c) = characters.next() {
        let field = all.last_mut().unwrap();
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(String::new()),
            other => field.push(other),
        }
    }
    all
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if u32::from(c) < 0x20 => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json + "\""
}

// -- The source ---------------------------------------------------------------

#[derive(Default)]
struct State {
    path: String,
    file: Option<BufReader<File>>,
    columns: Vec<String>,
    offset: u64,
    last_position: Option<Vec<u8>>, // of the last record that was returned
    failure: Option<Error>,         // that follows the records that were returned
}

#[derive(Default)]
struct Csv {
    state: Mutex<State>,
}

impl Csv {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    fn position(&self) -> Vec<u8> {
        self.offset.to_string().into_bytes()
    }

    /// Returns the next row as a record.
    fn next(&mut self) -> Result<Option<RecordV2>> {
        let file = match &mut self.file {
            None => return Ok(None),
            Some(file) => file,
        };
        let row = match read_row(file, &mut self.offset)? {
            None => return Ok(None),
            Some(row) => row,
        };
        if row.len() != self.columns.len() {
            return Err(Error::new(
                Code::DataLoss,
                format!(
                    "the row before offset {} of {} has {} fields, expected {}",
                    self.offset,
                    self.path,
                    row.len(),
                    self.columns.len()
                ),
            ));
        }
        let members: Vec<String> = self
            .columns
            .iter()
            .zip(&row)
            .map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)))
            .collect();
        Ok(Some(RecordV2 {
            position: self.position(),
            key: Some(row[0].clone().into_bytes()),
            payload: RecordV2Change {
                after: Some(format!("{{{}}}", members.join(",")).into_bytes()),
                ..RecordV2Change::default()
            },
            ..RecordV2::default()
        }))
    }
}

/// Returns the number of bytes that count for the limit of a batch.
fn size_of(record: &RecordV2) -> i64 {
    let optional = [&record.key, &record.payload.after];
    let sizes = optional
        .iter()
        .map(|bytes| bytes.as_ref().map_or(0, Vec::len));
    (record.position.len() + sizes.sum::<usize>()) as i64
}

tenon::implement! {
    impl Plugin for Csv {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Csv::default())
        }
    }
}

tenon::implement! {
    impl SourceV2 for Csv {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            config.check_names(&["path"])?;
            self.state().path = config.required("path")?.to_string();
            Ok(())
        }

        fn open(&self, _call: &Call<'_>, position: Option<Vec<u8>>) -> Result<()> {
            let mut state = self.state();
            let mut file = File::open(&state.path)
                .map(BufReader::new)
                .map_err(|error| Error::from_status(
                    Error::from(error).status(),
                    format!("cannot open {}", state.path),
                ))?;
            state.offset = 0;
            state.columns = read_row(&mut file, &mut state.offset)?.unwrap_or_default();
            if let Some(position) = position {
                let offset = std::str::from_utf8(&position).ok().and_then(|text| text.parse().ok());
                state.offset = offset.ok_or_else(|| {
                    Error::new(Code::InvalidArgument, "the position is not of this plugin")
                })?;
                file.seek(SeekFrom::Start(state.offset))?;
            }
            state.last_position = None;
            state.file = Some(file);
            Ok(())
        }

        fn read_batch(
            &self,
            call: &Call<'_>,
            max: i32,
            max_bytes: Option<i64>,
        ) -> Result<Vec<RecordV2>> {
            if call.cancelled().is_some() {
                return Err(Error::new(Code::Cancelled, "reading was cancelled"));
            }
            let mut state = self.state();
            if let Some(failure) = state.failure.take() {
                return Err(failure);
            }
            let mut records = Vec::new();
            let mut bytes = 0;
            while records.len() < max as usize && bytes < max_bytes.unwrap_or(i64::MAX) {
                match state.next() {
                    Ok(Some(record)) => {
                        bytes += size_of(&record);
                        records.push(record);
                    }
                    Ok(None) => break,
                    Err(failure) if records.is_empty() => return Err(failure),
                    Err(failure) => {
                        state.failure = Some(failure);
                        break;
                    }
                }
            }
            match records.last() {
                None => Err(Error::new(Code::OutOfRange, "no more records")),
                Some(last) => {
                    state.last_position = Some(last.position.clone());
                    Ok(records)
                }
            }
        }

        fn stop(&self, _call: &Call<'_>) -> Result<Option<Vec<u8>>> {
            Ok(self.state().last_position.clone())
        }

        fn teardown(&self, _call: &Call<'_>) -> Result<()> {
            self.state().file = None;
            Ok(())
        }
    }
}

tenon::implement! {
    impl SpecifierV1 for Csv {
        fn specify(&self, _call: &Call<'_>) -> Result<SpecificationV1> {
            let path = ParameterV2 {
                description: String::from("the file"),
                r#type: ParameterV2Type::File,
                validations: vec![ParameterV2Validation {
                    r#type: ParameterV2Rule::Required,
                    ..ParameterV2Validation::default()
                }],
                ..ParameterV2::default()
            };
            Ok(SpecificationV1 {
                name: String::from("example.io/csv"),
                summary: String::from("Rows of a CSV file"),
                description: String::from("Each row becomes a record with a JSON object."),
                version: String::from("1.0.0"),
                author: String::from("tenon"),
                source_parameters: [(String::from("path"), path)].into(),
                ..SpecificationV1::default()
            })
        }
    }
}

tenon::module! {
    name: "example.io/csv",
    version: "1.0.0",
    plugins: [
        "example.io/csv" => Csv as SourceV2,
        "example.io/csv" => Csv as SpecifierV1,
    ],
    details: r#"{"summary": "Rows of a CSV file", "threads": "joined"}"#,
}
