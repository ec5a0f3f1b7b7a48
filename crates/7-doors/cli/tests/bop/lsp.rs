//! `bop lsp`, spoken to as an editor does: over its standard input and output.

use crate::command;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// An editor with one folder.
struct Editor {
    child: Child,
    stdin: ChildStdin,
    heard: Receiver<Value>,
    /// What was heard and not asked for yet.
    kept: Vec<Value>,
    folder: PathBuf,
    next: i64,
}

impl Editor {
    fn start(name: &str, files: &[(&str, &str)]) -> Editor {
        let folder = std::env::temp_dir().join(format!("bop-lsp-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary directory can be written");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("it can be written");
        }
        let mut child = command(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command was built");
        let stdin = child.stdin.take().expect("it is piped");
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, heard) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Editor { child, stdin, heard, kept: Vec::new(), folder, next: 0 };
        let result = editor.ask("initialize", json!({"capabilities": {}}));
        for can in ["hoverProvider", "definitionProvider", "referencesProvider", "codeLensProvider"]
        {
            assert!(!result["capabilities"][can].is_null(), "{can}: {result}");
        }
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.stdin.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message that fits.
    #[track_caller]
    fn hear(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(i) = self.kept.iter().position(&fits) {
            return self.kept.remove(i);
        }
        loop {
            let message = self.heard.recv_timeout(Duration::from_secs(60));
            let message = message.unwrap_or_else(|e| panic!("{what}: {e}: {:?}", self.kept));
            if fits(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.hear(method, |m| m["id"] == id && m.get("method").is_none());
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.join(name).display())
    }

    fn open(&mut self, name: &str) {
        let text = std::fs::read_to_string(self.folder.join(name)).expect("it was written");
        let uri = self.uri(name);
        let document = json!({"uri": uri, "languageId": "x", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, name: &str, text: &str) {
        let document = json!({"uri": self.uri(name), "version": 2});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.tell("textDocument/didChange", params);
    }

    /// The diagnostics of a file, once they are as wanted.
    #[track_caller]
    fn diagnostics(&mut self, name: &str, fits: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = self.uri(name);
        let list = |m: &Value| m["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
        let message = self.hear("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri.as_str()
                && fits(&list(m))
        });
        list(&message)
    }

    fn at(&self, name: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        json!({"textDocument": {"uri": self.uri(name)}, "position": position})
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", n)) => length = n.parse().ok()?,
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

const BP: &str = "\
decl g;
void main() begin
  decl x;
  x := 0;
  f(x);
  if (g) then R: skip; fi
  goto L;
  L: assert(!g);
end
void f(y) begin
  g := !y;
end
";

#[test]
fn a_boolean_program_in_an_editor() {
    let mut editor = Editor::start("bp", &[("a.bp", BP)]);
    editor.open("a.bp");
    // The assertion fails: it is told with the path there.
    let found = editor.diagnostics("a.bp", |list| !list.is_empty());
    assert_eq!(found[0]["code"], "assert", "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({"line": 7, "character": 5}));
    let path = found[0]["relatedInformation"].as_array().expect("a path");
    assert!(path.len() > 4 && path[0]["message"] == "1. x := 0", "{path:?}");

    // From a call to the procedure, from a variable to its declaration, from a jump to the label.
    let start = |answer: &Value| answer["range"]["start"].clone();
    for (at, to) in [((4, 2), (9, 5)), ((4, 4), (2, 7)), ((6, 7), (7, 2)), ((10, 2), (0, 5))] {
        let answer = editor.ask("textDocument/definition", editor.at("a.bp", at.0, at.1));
        assert_eq!(start(&answer), json!({"line": to.0, "character": to.1}), "{at:?}");
    }
    let mut params = editor.at("a.bp", 0, 5);
    params["context"] = json!({"includeDeclaration": true});
    let references = editor.ask("textDocument/references", params);
    let lines: Vec<u64> = references
        .as_array()
        .expect("a list")
        .iter()
        .map(|r| start(r)["line"].as_u64().expect("a line"))
        .collect();
    assert_eq!(lines, [0, 5, 7, 10]);

    // What can hold at a statement.
    let hover = editor.ask("textDocument/hover", editor.at("a.bp", 7, 13));
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("variable `g`"), "{text}");
    assert!(text.contains("at main:8: assert(!g)") && text.contains("1 valuation"), "{text}");

    // Names behind `goto` are labels.
    let names = |answer: &Value| -> Vec<String> {
        let list = answer.as_array().expect("a list").iter();
        list.map(|i| i["label"].as_str().expect("a name").to_owned()).collect()
    };
    let labels = names(&editor.ask("textDocument/completion", editor.at("a.bp", 6, 7)));
    assert_eq!(labels, ["R", "L"]);
    let all = names(&editor.ask("textDocument/completion", editor.at("a.bp", 3, 2)));
    for name in ["g", "x", "f", "main", "skip"] {
        assert!(all.iter().any(|n| n == name), "{name}: {all:?}");
    }
    assert!(!all.iter().any(|n| n == "y"), "a local of another procedure");

    // The lens at a label asks whether it is reached.
    let lenses =
        editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": editor.uri("a.bp")}}));
    let lenses = lenses.as_array().expect("a list");
    assert_eq!(lenses.len(), 2);
    let command = lenses[0]["command"].clone();
    assert_eq!(command["title"], "check this label");
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    editor.ask("workspace/executeCommand", params);
    let said = editor.hear("an answer", |m| m["method"] == "window/showMessage");
    assert_eq!(said["params"]["message"], "`main:R` is reachable");
    let found = editor.diagnostics("a.bp", |list| list.iter().any(|d| d["code"] == "reach"));
    let reach = found.iter().find(|d| d["code"] == "reach").expect("it is there");
    assert!(reach["relatedInformation"].as_array().is_some_and(|p| p.len() > 3));

    // While somebody types.
    editor.change("a.bp", &BP.replace("x := 0", "x := z"));
    let found =
        editor.diagnostics("a.bp", |l| l.iter().any(|d| d["code"] == "bp-unknown-variable"));
    assert_eq!(found.len(), 1, "old findings are gone: {found:?}");
    assert_eq!(found[0]["range"]["start"], json!({"line": 3, "character": 7}));
    editor.change("a.bp", BP);
    editor.diagnostics("a.bp", <[Value]>::is_empty);
    editor.end();
}

#[test]
fn other_languages_in_an_editor() {
    let remopla = "define N 4\nint x(3);\ninit main;\nmodule void add(int i(3)) {\n  x = i;\n}\nmodule void main() {\n  add(N - 1);\n  L: skip;\n  goto L;\n}\n";
    let pds = "(p <main>)\np <main> --> p <f main>\np <f> --> p <>\n";
    let rule = "rule r(p: value) {\n  event free = arg(free, 1, p)\n  never { free; true[*]; free }\n  message \"twice\"\n}\n";
    let files = [
        ("a.rem", remopla),
        ("a.pds", pds),
        ("a.rule", rule),
        ("bad.rule", "rule r(p: value) {\n  never { free }\n"),
    ];
    let mut editor = Editor::start("others", &files);
    for (name, _) in files {
        editor.open(name);
    }
    let cases = [
        ("a.rem", (7, 2), (3, 12)),
        ("a.rem", (7, 6), (0, 7)),
        ("a.rem", (4, 6), (3, 20)),
        ("a.rem", (9, 7), (8, 2)),
        ("a.rem", (2, 5), (6, 12)),
        ("a.pds", (1, 16), (2, 3)),
        ("a.pds", (0, 5), (1, 3)),
        ("a.rule", (2, 25), (1, 8)),
        ("a.rule", (1, 28), (0, 7)),
    ];
    for (name, at, to) in cases {
        let answer = editor.ask("textDocument/definition", editor.at(name, at.0, at.1));
        let start = &answer["range"]["start"];
        assert_eq!(*start, json!({"line": to.0, "character": to.1}), "{name} {at:?}");
    }
    let hover = editor.ask("textDocument/hover", editor.at("a.rem", 8, 5));
    assert!(hover["contents"]["value"].as_str().is_some_and(|t| t.contains("x=3")), "{hover}");
    let hover = editor.ask("textDocument/hover", editor.at("a.rule", 2, 10));
    assert_eq!(hover["contents"]["value"], "event `free` of `r`");
    let found = editor.diagnostics("bad.rule", |list| !list.is_empty());
    assert_eq!(found[0]["severity"], 1, "{found:?}");
    editor.change("a.rem", &remopla.replace("goto L", "goto LL"));
    editor.diagnostics("a.rem", |list| !list.is_empty());
    editor.change("a.pds", "(p <main>)\np <main> -> p <>\n");
    editor.diagnostics("a.pds", |list| !list.is_empty());
    editor.end();
}

const C: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int main(int argc, char **argv) {
  char *p = malloc(4);
  if (argc > 1)
    free(p);
  free(p);
  return 0;
}
";

#[test]
fn findings_in_c_and_why() {
    if !Path::new("/usr/bin/cc").exists() {
        eprintln!("skipped: there is no cc");
        return;
    }
    let mut editor = Editor::start("c", &[("a.c", C)]);
    editor.open("a.c");
    let found = editor.diagnostics("a.c", |list| !list.is_empty());
    let twice = found.iter().find(|d| d["code"] == "double_free").expect("it is found");
    assert_eq!(twice["range"]["start"]["line"], 6);
    assert!(twice["message"].as_str().is_some_and(|m| m.contains("freed twice")), "{twice}");
    let path = twice["relatedInformation"].as_array().expect("a path");
    let lines: Vec<u64> =
        path.iter().filter_map(|s| s["location"]["range"]["start"]["line"].as_u64()).collect();
    assert!(lines.contains(&3) && lines.contains(&5) && lines.contains(&6), "{lines:?}");

    let uri = editor.uri("a.c");
    let context = json!({"diagnostics": [twice]});
    let params = json!({"textDocument": {"uri": uri}, "range": twice["range"], "context": context});
    let actions = editor.ask("textDocument/codeAction", params);
    let command = actions[0]["command"].clone();
    assert_eq!(command["command"], "bop.why", "{actions}");
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    editor.ask("workspace/executeCommand", params);
    let show = editor.hear("the page", |m| m["method"] == "window/showDocument");
    let page = show["params"]["uri"].as_str().expect("an address");
    let page = page.strip_prefix("file://").expect("a file");
    let text = std::fs::read_to_string(page).expect("it is there");
    assert!(text.starts_with("<!DOCTYPE html>") && text.contains("freed twice"));
    // With the fault mended and saved, nothing is left.
    let mended = C.replace("    free(p);\n  free(p);", "    argv = 0;\n  free(p);");
    std::fs::write(editor.folder.join("a.c"), &mended).expect("it can be written");
    editor.change("a.c", &mended);
    editor.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    editor.diagnostics("a.c", <[Value]>::is_empty);
    editor.end();
    assert!(!Path::new(page).exists(), "pages go with the server");
}

/// A project's settings are those of its `bop.toml`.
#[test]
fn settings_of_a_project_count() {
    let toml = "files = [\"a.c\"]\nassert = true\nskeleton = true\n";
    let c = "void __assert_fail(void);\nint main(void) {\n  __assert_fail();\n  return 0;\n}\n";
    let mut editor = Editor::start("project", &[("a.c", c), ("bop.toml", toml)]);
    editor.open("a.c");
    let found = editor.diagnostics("a.c", |list| !list.is_empty());
    assert_eq!(found[0]["code"], "assert", "{found:?}");
    editor.end();
}

#[test]
fn what_is_not_understood_is_refused() {
    let mut editor = Editor::start("unknown", &[]);
    editor.send(&json!({"jsonrpc": "2.0", "id": "x", "method": "no/such", "params": {}}));
    let answer = editor.hear("an answer", |m| m["id"] == "x");
    assert_eq!(answer["error"]["code"], -32601);
    // Requests about what is not open, and nonsense, do no harm.
    let place = editor.at("a.bp", 7, 7);
    assert_eq!(editor.ask("textDocument/hover", place), Value::Null);
    assert_eq!(editor.ask("textDocument/definition", json!({"x": 1})), Value::Null);
    editor.tell("textDocument/didChange", json!([]));
    editor.end();
}
