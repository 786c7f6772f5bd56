//! A source for pipelines: the numbers from 1 to `last`. The position of a record is its number.
use std::sync::{Mutex, MutexGuard};
use tenon::{
    Call, Code, Config, Error, ParameterV2, ParameterV2Rule, ParameterV2Type,
    ParameterV2Validation, Plugin, RecordV2, Result, SourceV2, SpecificationV1, SpecifierV1,
};

#[derive(Default)]
struct State {
    last: u32,   // of the configuration
    start: u32,  // the number at which it was opened
    number: u32, // of the last record
}

/// Methods may be called on several threads.
#[derive(Default)]
struct Source {
    state: Mutex<State>,
}

impl Source {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn text_of(number: u32) -> Vec<u8> {
    number.to_string().into_bytes()
}

tenon::implement! {
    impl Plugin for Source {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Source::default())
        }
    }
}

// Methods that are not listed return `unimplemented`.
tenon::implement! {
    impl SourceV2 for Source {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            config.check_names(&["last"])?;
            self.state().last = config.parse_required("last")?;
            Ok(())
        }

        fn open(&self, _call: &Call<'_>, position: Option<Vec<u8>>) -> Result<()> {
            let number = position.map_or(Some(0), |position| {
                std::str::from_utf8(&position).ok()?.parse().ok()
            });
            let number = number.ok_or_else(|| {
                Error::new(Code::InvalidArgument, "the position is not of this plugin")
            })?;
            let mut state = self.state();
            state.start = number;
            state.number = number;
            Ok(())
        }

        // One record never exceeds the limits of a batch.
        fn read_batch(
            &self,
            call: &Call<'_>,
            _max: i32,
            _max_bytes: Option<i64>,
        ) -> Result<Vec<RecordV2>> {
            if call.cancelled().is_some() {
                return Err(Error::new(Code::Cancelled, "reading was cancelled"));
            }
            let mut state = self.state();
            if state.number >= state.last {
                return Err(Error::new(Code::OutOfRange, "no more records"));
            }
            state.number += 1;
            let mut record = RecordV2 {
                position: text_of(state.number),
                ..RecordV2::default()
            };
            record.payload.after = Some(record.position.clone());
            Ok(vec![record])
        }

        fn stop(&self, _call: &Call<'_>) -> Result<Option<Vec<u8>>> {
            let state = self.state();
            Ok((state.number != state.start).then(|| text_of(state.number)))
        }
    }
}

tenon::implement! {
    impl SpecifierV1 for Source {
        fn specify(&self, _call: &Call<'_>) -> Result<SpecificationV1> {
            let last = ParameterV2 {
                description: String::from("the last number"),
                r#type: ParameterV2Type::Int,
                validations: vec![ParameterV2Validation {
                    r#type: ParameterV2Rule::Required,
                    ..ParameterV2Validation::default()
                }],
                ..ParameterV2::default()
            };
            Ok(SpecificationV1 {
                name: String::from("me.example/sample"),
                summary: String::from("Numbers"),
                description: String::from("One record for each number from 1 to `last`."),
                version: String::from("0.1.0"),
                author: String::from("me"),
                source_parameters: [(String::from("last"), last)].into(),
                ..SpecificationV1::default()
            })
        }
    }
}

tenon::module! {
    name: "me.example/sample",
    version: "0.1.0",
    plugins: [
        "me.example/sample" => Source as SourceV2,
        "me.example/sample" => Source as SpecifierV1,
    ],
    // "threads": it starts none, so it can be unloaded.
    details: r#"{"summary": "Numbers", "threads": "joined"}"#,
}
