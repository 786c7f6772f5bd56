//! A processor for pipelines: passes the records whose payload contains the text `contains`.
use std::sync::Mutex;
use tenon::{
    Call, Code, Config, Error, ParameterV2, ParameterV2Rule, ParameterV2Type,
    ParameterV2Validation, Plugin, ProcessorV1, ProcessorV1Result, RecordV2, Result,
    SpecificationV1, SpecifierV1,
};

#[derive(Default)]
struct Processor {
    contains: Mutex<Vec<u8>>,
}

tenon::implement! {
    impl Plugin for Processor {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Processor::default())
        }
    }
}

// Methods that are not listed return `unimplemented`.
tenon::implement! {
    impl ProcessorV1 for Processor {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            config.check_names(&["contains"])?;
            let contains = config.required("contains")?;
            if contains.is_empty() {
                let message = "parameter \"contains\" is empty";
                return Err(Error::new(Code::InvalidArgument, message));
            }
            *self.contains.lock().unwrap() = contains.as_bytes().to_vec();
            Ok(())
        }

        fn process(
            &self,
            _call: &Call<'_>,
            records: Vec<RecordV2>,
        ) -> Result<Vec<ProcessorV1Result>> {
            let contains = self.contains.lock().unwrap();
            let matches = |record: &RecordV2| {
                let payload = record.payload.after.as_deref().unwrap_or_default();
                payload.windows(contains.len()).any(|part| part == &contains[..])
            };
            let result = |record| ProcessorV1Result {
                records: Some(record).filter(matches).into_iter().collect(),
                error: None,
            };
            Ok(records.into_iter().map(result).collect())
        }
    }
}

tenon::implement! {
    impl SpecifierV1 for Processor {
        fn specify(&self, _call: &Call<'_>) -> Result<SpecificationV1> {
            let contains = ParameterV2 {
                description: String::from("a text in the payload"),
                r#type: ParameterV2Type::String,
                validations: vec![ParameterV2Validation {
                    r#type: ParameterV2Rule::Required,
                    ..ParameterV2Validation::default()
                }],
                ..ParameterV2::default()
            };
            Ok(SpecificationV1 {
                name: String::from("me.example/sample"),
                summary: String::from("Records with a text"),
                description: String::from(
                    "Passes the records whose payload contains the text `contains`.",
                ),
                version: String::from("0.1.0"),
                author: String::from("me"),
                processor_parameters: [(String::from("contains"), contains)].into(),
                ..SpecificationV1::default()
            })
        }
    }
}

tenon::module! {
    name: "me.example/sample",
    version: "0.1.0",
    plugins: [
        "me.example/sample" => Processor as ProcessorV1,
        "me.example/sample" => Processor as SpecifierV1,
    ],
    // "threads": it starts none, so it can be unloaded.
    details: r#"{"summary": "Records with a text", "threads": "joined"}"#,
}
