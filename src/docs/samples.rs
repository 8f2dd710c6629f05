//! Examples of a request in curl, Python and JavaScript.

use serde_json::Value;

use super::reference::pretty;

const ORIGIN: &str = "https://desk.example.com";
const ID: &str = "019c8f3e-7a10-7000-8c11-0a1b2c3d4e5f";

pub(super) struct Sample {
    pub(super) language: &'static str,
    pub(super) code: String,
}

pub(super) struct Call<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) parameters: &'a [&'a Value],
    /// An example of the request's body; null for a request without a body.
    pub(super) body: &'a Value,
    /// Whether the response has a body.
    pub(super) shows: bool,
}

pub(super) fn samples(call: &Call<'_>) -> Vec<Sample> {
    vec![
        Sample { language: "curl", code: curl(call) },
        Sample { language: "Python", code: python(call) },
        Sample { language: "JavaScript", code: javascript(call) },
    ]
}

impl Call<'_> {
    /// The address with values for the path and the required parameters.
    fn url(&self) -> String {
        let mut url = format!("{ORIGIN}{}", self.path);
        let mut separator = '?';
        for parameter in self.parameters.iter().filter(|one| one["required"] == true) {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = match parameter["schema"]["format"].as_str() {
                Some("date") => "2026-03-02",
                _ => ID,
            };
            if parameter["in"] == "path" {
                url = url.replace(&format!("{{{name}}}"), value);
            } else {
                url.push_str(&format!("{separator}{name}={value}"));
                separator = '&';
            }
        }
        url
    }

    /// Whether a client can repeat the request with the same idempotency key.
    fn is_repeatable(&self) -> bool {
        self.method == "POST" && self.parameters.iter().any(|one| one["name"] == "Idempotency-Key")
    }
}

fn curl(call: &Call<'_>) -> String {
    let method = if call.method == "GET" { String::new() } else { format!("-X {} ", call.method) };
    let mut lines =
        vec![format!("curl {method}\"{}\"", call.url()), "-H \"Authorization: Bearer $API_KEY\"".to_owned()];
    if call.is_repeatable() {
        lines.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned());
    }
    if !call.body.is_null() {
        lines.push("-H \"Content-Type: application/json\"".to_owned());
        lines.push(format!("-d '{}'", json(call.body).replace('\'', r"'\''")));
    }
    lines.join(" \\\n  ")
}

fn python(call: &Call<'_>) -> String {
    let (import, key) = if call.is_repeatable() {
        ("import os, uuid", ", \"Idempotency-Key\": str(uuid.uuid4())")
    } else {
        ("import os", "")
    };
    let mut code = format!(
        "{import}\nimport requests\n\nresponse = requests.{}(\n    \"{}\",\n    headers={{\"Authorization\": f\"Bearer {{os.environ['API_KEY']}}\"{key}}},\n",
        call.method.to_lowercase(),
        call.url(),
    );
    if !call.body.is_null() {
        code.push_str(&format!("    json={},\n", literal(call.body)));
    }
    code.push_str(")\nresponse.raise_for_status()\n");
    if call.shows {
        code.push_str("print(response.json()[\"data\"])\n");
    }
    code
}

fn javascript(call: &Call<'_>) -> String {
    let mut headers = vec!["Authorization: `Bearer ${process.env.API_KEY}`"];
    if call.is_repeatable() {
        headers.push("\"Idempotency-Key\": crypto.randomUUID()");
    }
    if !call.body.is_null() {
        headers.push("\"Content-Type\": \"application/json\"");
    }
    let mut options = Vec::new();
    if call.method != "GET" {
        options.push(format!("  method: \"{}\",\n", call.method));
    }
    options.push(format!("  headers: {{\n    {},\n  }},\n", headers.join(",\n    ")));
    if !call.body.is_null() {
        options.push(format!("  body: JSON.stringify({}),\n", json(call.body)));
    }
    let shown = if call.shows { "const { data } = await response.json();\nconsole.log(data);\n" } else { "" };
    format!(
        "const response = await fetch(\"{}\", {{\n{}}});\nif (!response.ok) throw new Error(await response.text());\n{shown}",
        call.url(),
        options.concat(),
    )
}

/// Formats a value as JSON. The line on which the JSON begins has one level of indentation.
fn json(value: &Value) -> String {
    pretty(value).replace('\n', "\n  ")
}

/// A value as a Python literal. Python has other words for null and booleans, and four spaces per level.
fn literal(value: &Value) -> String {
    let json = pretty(value);
    let lines = json.lines().map(|line| {
        let text = line.trim_start();
        let indent = " ".repeat(2 * (line.len() - text.len()));
        let (text, comma) = text.strip_suffix(',').map_or((text, ""), |text| (text, ","));
        // Only a word at the end of a line is replaced. A string ends with a quotation mark, so words in
        // strings are unchanged.
        let words = [("null", "None"), ("true", "True"), ("false", "False")];
        let word = words.iter().find_map(|(json, python)| Some((text.strip_suffix(json)?, *python)));
        let (start, word) = word.unwrap_or((text, ""));
        format!("{indent}{start}{word}{comma}")
    });
    lines.collect::<Vec<_>>().join("\n    ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_literals_of_their_language() {
        let call = Call {
            method: "PATCH",
            path: "/v1/things/{thing_id}",
            parameters: &[&json!({"name": "thing_id", "in": "path", "required": true})],
            body: &json!({"name": "It's", "open": true, "note": null}),
            shows: true,
        };
        let [curl, python, javascript]: [Sample; 3] = samples(&call).try_into().ok().unwrap();
        assert!(curl.code.contains(r#""name": "It'\''s""#), "{}", curl.code);
        assert!(
            curl.code.starts_with(&format!("curl -X PATCH \"{ORIGIN}/v1/things/{ID}\"")),
            "{}",
            curl.code
        );
        assert!(
            python.code.contains("\"open\": True") && python.code.contains("\"note\": None"),
            "{}",
            python.code
        );
        assert!(
            javascript.code.contains("\"open\": true") && javascript.code.contains("null"),
            "{}",
            javascript.code
        );
    }
}
