// SPDX-License-Identifier: BSL-1.0
//
// lib.rs: a plugin in Rust, as an example. It is a delete item action that prevents backups from
// being deleted: it fails for each resource with a certain label, and a backup is not deleted if a
// delete item action fails.
//
//   label  the key of the label; example.io/hold by default
mod json;

use json::Json;
use std::sync::RwLock;
use tenon::{BackupV2, Call, Code, Config, DeleteItemActionV1, Error, Plugin, Result, SelectorV1};

struct Hold {
    label: RwLock<String>, // methods run on several threads
}

impl Hold {
    fn label(&self) -> String {
        self.label.read().unwrap().clone()
    }
}

tenon::implement! {
    impl Plugin for Hold {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            let label = RwLock::new(String::from("example.io/hold"));
            Ok(Hold { label })
        }
    }
}

tenon::implement! {
    impl DeleteItemActionV1 for Hold {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            let label = match config.get("label") {
                None => return Ok(()),
                Some(label) => label,
            };
            let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            if label.is_empty() || !label.chars().all(is_part) {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!(
                        "parameter \"label\" is \"{label}\", expected the key of a label such as \
                         example.io/hold"
                    ),
                ));
            }
            *self.label.write().unwrap() = label.to_string();
            Ok(())
        }

        /// Selects the resources that have the label.
        fn applies_to(&self, _call: &Call<'_>) -> Result<SelectorV1> {
            Ok(SelectorV1 {
                label_selector: self.label(),
                ..SelectorV1::default()
            })
        }

        fn execute(&self, _call: &Call<'_>, item: &str, backup: BackupV2) -> Result<()> {
            let resource = match Json::parse(item.as_bytes()) {
                Some(resource @ Json::Object(_)) => resource,
                _ => {
                    let message = "the item is not a JSON object";
                    return Err(Error::new(Code::InvalidArgument, message));
                }
            };
            let metadata = resource.get("metadata").unwrap_or(&Json::Other);
            let label = self.label();
            let labels = metadata.get("labels");
            if labels.and_then(|labels| labels.get(&label)).is_none() {
                return Ok(());
            }
            let space = metadata.text("namespace");
            let message = format!(
                "{} \"{}{}{}\" has the label {}, which keeps the backup \"{}\"; fix: delete the \
                 backup without this plugin when it is no longer needed",
                resource.text("kind"),
                space,
                if space.is_empty() { "" } else { "/" },
                metadata.text("name"),
                label,
                backup.name,
            );
            Err(Error::new(Code::FailedPrecondition, message))
        }
    }
}

tenon::module! {
    name: "example.io/hold",
    version: "1.0.0",
    plugins: ["example.io/hold" => Hold as DeleteItemActionV1],
    // It starts no threads, although the standard library could.
    details: r#"{"summary": "Protects backups of resources with a label", "threads": "joined"}"#,
}
