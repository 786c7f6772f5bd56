//! Changes the letters a to z to capitals.
use sample_kinds::me::SampleV1;
use tenon::{Call, Plugin, Result};

struct UpperCase;

tenon::implement! {
    impl Plugin for UpperCase {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(UpperCase)
        }
    }
}

tenon::implement! {
    impl SampleV1 for UpperCase {
        fn apply(&self, _call: &Call<'_>, text: &str) -> Result<String> {
            Ok(text.to_ascii_uppercase())
        }
    }
}

tenon::module! {
    name: "me.example/upper-case",
    version: "0.1.0",
    plugins: ["me.example/upper-case" => UpperCase as SampleV1],
    // "threads": it starts none, so it can be unloaded.
    details: r#"{"summary": "Capital letters", "threads": "joined"}"#,
}
