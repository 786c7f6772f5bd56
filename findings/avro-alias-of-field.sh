#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Avro 1.11.1 for Python reads a renamed field as its default, and its own checker calls the two
# schemas compatible because of the old name.
#
# An alias names a field as older writers did. The specification lets libraries ignore aliases, so a
# good guess is that one library does so everywhere. The class that checks compatibility honours
# them, the reader does not. A stored value is replaced by the default without an error, and data
# without a default, which the checker accepts, cannot be read. avsc 5.7.7 for Node.js reads the
# value that was written.
#
# Output seen:
#   no alias: checker incompatible, avro error, avsc error
#   alias: checker compatible, avro error, avsc 7
#   alias and default 3: checker compatible, avro 3, avsc 7
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root python3-avro=1.11.1+dfsg-2
dpkg -x ./*.deb .
npm install --silent --ignore-scripts --prefix . avsc@5.7.7

# schema FIELD: prints the schema of a record with this field
schema() {
  echo "{\"type\": \"record\", \"name\": \"job\", \"fields\": [{$1, \"type\": \"int\"}]}"
}
schema '"name": "retries"' >old.avsc
cat >read.py <<'END'
import io
import avro.errors
import avro.io
import avro.schema
from avro.compatibility import ReaderWriterCompatibilityChecker as Checker
old, new = (avro.schema.parse(open(name).read()) for name in ("old.avsc", "new.avsc"))
compatibility = Checker().get_compatibility(new, old).compatibility.value
try:
    data = avro.io.BinaryDecoder(io.BytesIO(b"\x0e"))
    value = avro.io.DatumReader(old, new).read(data)["attempts"]
except avro.errors.SchemaResolutionException:
    value = "error"
print(f"checker {compatibility}, avro {value}, ", end="")
END
cat >read.js <<'END'
const { Type } = require("avsc");
const { readFileSync } = require("fs");
const [before, after] = ["old.avsc", "new.avsc"].map(
  (name) => Type.forSchema(JSON.parse(readFileSync(name))));
try {
  const resolver = after.createResolver(before);
  console.log(`avsc ${after.fromBuffer(Buffer.from([14]), resolver).attempts}`);
} catch {
  console.log("avsc error");
}
END
# read_as NAME FIELD: prints how the number 7 in a record of the old schema is read with this field
read_as() {
  schema "$2" >new.avsc
  printf '%s: ' "$1"
  PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 read.py
  node read.js
}
{
  read_as 'no alias' '"name": "attempts"'
  read_as 'alias' '"name": "attempts", "aliases": ["retries"]'
  read_as 'alias and default 3' '"name": "attempts", "aliases": ["retries"], "default": 3'
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
