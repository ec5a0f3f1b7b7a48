//! The server's state, and what it does with each message.

use crate::answers;
use crate::findings::{ByFile, findings};
use crate::names::{self, Kind, Names, Occurrence};
use crate::text::{self, Document, Language};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeLens, CodeLensOptions,
    CodeLensParams, Command, CompletionItem, CompletionItemKind, CompletionOptions,
    CompletionParams, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentSymbol, DocumentSymbolParams,
    ExecuteCommandOptions, ExecuteCommandParams, GotoDefinitionParams, Hover, HoverContents,
    HoverParams, Location, MarkupContent, MarkupKind, MessageType, OneOf, Position,
    PublishDiagnosticsParams, ReferenceParams, SaveOptions, ServerCapabilities, ShowDocumentParams,
    ShowMessageParams, SymbolKind, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri, notification, request,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Asks whether a label is reached: the document's address, the label, its line.
const CHECK_LABEL: &str = "bop.checkLabel";
/// Writes the page of a file's findings, and opens it: the document's address.
const WHY: &str = "bop.why";

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// A message for the editor.
    Send(Message),
    /// A command of `bop` to run; its answer goes to [`Server::answered`].
    Run(Job),
    /// The editor wants the server to end.
    Exit,
}

/// A command of `bop`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The file that it is for.
    pub file: String,
    /// Where it runs.
    pub folder: PathBuf,
    /// The words behind `bop`; where a page is to be written, `-o FILE` is added.
    pub words: Vec<String>,
    /// Whether it writes a page for people; otherwise it prints a report.
    pub page: bool,
}

/// What the server can do.
pub fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
            ..TextDocumentSyncOptions::default()
        })),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        hover_provider: Some(lsp_types::HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions::default()),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(lsp_types::CodeActionProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![CHECK_LABEL.to_owned(), WHY.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// A language server.
#[derive(Default)]
pub struct Server {
    documents: BTreeMap<String, Document>,
    /// What parsers and labels say, by address.
    own: BTreeMap<String, Vec<Diagnostic>>,
    /// What reports say: by the file that was checked, then by the file that it is about.
    reported: BTreeMap<String, ByFile>,
    /// What is asked of C where no settings say it.
    questions: Vec<String>,
    next: i32,
}

impl Server {
    /// A server; `options` are those that the editor gives: `{"check": ["--rule", "memory"]}`.
    pub fn new(options: Option<&Value>) -> Server {
        let asked = options.and_then(|o| o["check"].as_array());
        let questions = match asked {
            Some(words) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => vec!["--rule".to_owned(), "memory".to_owned()],
        };
        Server { questions, ..Server::default() }
    }

    /// What a message leads to.
    pub fn message(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            Message::Response(_) => Vec::new(),
        }
    }

    fn notification(&mut self, notification: Notification) -> Vec<Effect> {
        let Notification { method, params } = notification;
        match method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Some(p) = read::<DidOpenTextDocumentParams>(params) else { return Vec::new() };
                self.changed(&p.text_document.uri, Some(p.text_document.text), true)
            }
            notification::DidChangeTextDocument::METHOD => {
                let Some(p) = read::<DidChangeTextDocumentParams>(params) else {
                    return Vec::new();
                };
                let text = p.content_changes.into_iter().last().map(|change| change.text);
                self.changed(&p.text_document.uri, text, false)
            }
            notification::DidSaveTextDocument::METHOD => {
                let Some(p) = read::<DidSaveTextDocumentParams>(params) else { return Vec::new() };
                self.changed(&p.text_document.uri, p.text, true)
            }
            notification::DidCloseTextDocument::METHOD => {
                let Some(p) = read::<DidCloseTextDocumentParams>(params) else { return Vec::new() };
                let key = p.text_document.uri.as_str().to_owned();
                self.documents.remove(&key);
                self.own.remove(&key);
                self.publish(&p.text_document.uri)
            }
            notification::Exit::METHOD => vec![Effect::Exit],
            _ => Vec::new(),
        }
    }

    /// A text is there, or another one; `saved`: it is that of the file.
    fn changed(&mut self, uri: &Uri, text: Option<String>, saved: bool) -> Vec<Effect> {
        let key = uri.as_str().to_owned();
        match (self.documents.get_mut(&key), text) {
            (Some(document), Some(text)) => document.set(text),
            (None, Some(text)) => {
                let Some(document) = Document::new(uri.clone(), text) else { return Vec::new() };
                self.documents.insert(key.clone(), document);
            }
            (Some(_), None) => {}
            (None, None) => return Vec::new(),
        }
        let document = &self.documents[&key];
        let wrong = answers::wrong(document);
        let broken = !wrong.is_empty();
        let file = document.path.clone();
        let job = (saved && !broken).then(|| self.job(document)).flatten();
        // What was found in another text is at other places.
        if !saved {
            self.reported.remove(&file);
        }
        self.own.insert(key, wrong);
        let mut out = self.publish(uri);
        out.extend(job.map(Effect::Run));
        out
    }

    /// The command that checks a document: as its project says, or as the editor does.
    fn job(&self, document: &Document) -> Option<Job> {
        let path = Path::new(&document.path);
        let folder = path.parent()?;
        let project = folder.ancestors().find(|f| f.join("bop.toml").is_file());
        let limit = ["--format", "json", "--timeout", "20s", "--max-steps", "200"];
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let mut all = words(&["check"]);
        let folder = match (document.language, project) {
            (Language::Rule, _) => return None,
            (Language::C, Some(project)) => project,
            (Language::C, None) if document.path.ends_with(".h") => return None,
            (Language::C, None) => {
                all.push(document.path.clone());
                all.extend(self.questions.iter().cloned());
                folder
            }
            _ => {
                all.push(document.path.clone());
                all.push("--no-config".to_owned());
                folder
            }
        };
        all.extend(words(&limit));
        Some(Job {
            file: document.path.clone(),
            folder: folder.to_owned(),
            words: all,
            page: false,
        })
    }

    /// A command was run: what it printed, or the page that it wrote.
    pub fn answered(&mut self, job: &Job, printed: &str, page: Option<&Path>) -> Vec<Effect> {
        if job.page {
            let address = page.and_then(|p| p.to_str()).and_then(text::uri);
            return match address {
                Some(uri) => {
                    let show = ShowDocumentParams {
                        uri,
                        external: Some(true),
                        take_focus: Some(true),
                        selection: None,
                    };
                    vec![self.ask::<request::ShowDocument>(show)]
                }
                None => vec![said(MessageType::ERROR, printed.trim())],
            };
        }
        let Ok(report) = serde_json::from_str::<Value>(printed) else { return Vec::new() };
        let documents = &self.documents;
        let read = |path: &str| -> String {
            let open = documents.values().find(|d| d.path == path);
            match open {
                Some(document) => document.text.clone(),
                None => std::fs::read_to_string(path).unwrap_or_default(),
            }
        };
        let found = findings(&report, &job.folder, &read);
        let before = self.reported.insert(job.file.clone(), found).unwrap_or_default();
        let now = self.reported.get(&job.file).into_iter().flat_map(|f| f.keys());
        let mut files: Vec<String> = before.into_keys().chain(now.cloned()).collect();
        files.push(job.file.clone());
        files.sort();
        files.dedup();
        // A refusal that is about no file is said aloud.
        let mut out: Vec<Effect> = report["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|e| e["place"].is_null())
            .filter_map(|e| e["message"].as_str())
            .map(|message| said(MessageType::WARNING, message))
            .collect();
        for uri in files.iter().filter_map(|file| text::uri(file)) {
            out.extend(self.publish(&uri));
        }
        out
    }

    /// Tells the editor all that is known of a file.
    fn publish(&self, uri: &Uri) -> Vec<Effect> {
        let path = text::path(uri).and_then(|p| p.to_str().map(str::to_owned)).unwrap_or_default();
        let mut diagnostics = self.own.get(uri.as_str()).cloned().unwrap_or_default();
        for found in self.reported.values() {
            for diagnostic in found.get(&path).into_iter().flatten() {
                if !diagnostics.contains(diagnostic) {
                    diagnostics.push(diagnostic.clone());
                }
            }
        }
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version: None };
        vec![told::<notification::PublishDiagnostics>(params)]
    }

    fn ask<R: request::Request>(&mut self, params: R::Params) -> Effect {
        self.next += 1;
        let id = RequestId::from(self.next);
        let params = serde_json::to_value(params).unwrap_or_default();
        Effect::Send(Message::Request(Request { id, method: R::METHOD.to_owned(), params }))
    }

    fn request(&mut self, request: Request) -> Vec<Effect> {
        let Request { id, method, params } = request;
        let answer = |value: Option<Value>| {
            vec![Effect::Send(Message::Response(Response::new_ok(id.clone(), value)))]
        };
        match method.as_str() {
            request::GotoDefinition::METHOD => answer(self.definition(params)),
            request::References::METHOD => answer(self.references(params)),
            request::HoverRequest::METHOD => answer(self.hover(params)),
            request::Completion::METHOD => answer(self.completion(params)),
            request::DocumentSymbolRequest::METHOD => answer(self.symbols(params)),
            request::CodeLensRequest::METHOD => answer(self.lenses(params)),
            request::CodeActionRequest::METHOD => answer(self.actions(params)),
            request::ExecuteCommand::METHOD => {
                let mut out = answer(None);
                out.extend(self.execute(params));
                out
            }
            request::Shutdown::METHOD => answer(None),
            _ => {
                let what = format!("`{method}` is not known here");
                let response = Response::new_err(id, ErrorCode::MethodNotFound as i32, what);
                vec![Effect::Send(Message::Response(response))]
            }
        }
    }

    fn named(&self, uri: &Uri, at: Position) -> Option<(&Document, Names, Occurrence)> {
        let document = self.documents.get(uri.as_str())?;
        let names = names::names(&document.text, document.language);
        let found = names.at(document.offset(at))?.clone();
        Some((document, names, found))
    }

    fn definition(&self, params: Value) -> Option<Value> {
        let p = read::<GotoDefinitionParams>(params)?.text_document_position_params;
        let (document, names, found) = self.named(&p.text_document.uri, p.position)?;
        let definition = names.definition(&found)?;
        value(Location::new(document.uri.clone(), document.range(definition.span)))
    }

    fn references(&self, params: Value) -> Option<Value> {
        let params = read::<ReferenceParams>(params)?;
        let (p, declared) = (params.text_document_position, params.context.include_declaration);
        let (document, names, found) = self.named(&p.text_document.uri, p.position)?;
        let definition = names.definition(&found)?.span;
        let all = names.references(&found).into_iter();
        let all = all.filter(|o| declared || o.span != definition);
        let places: Vec<Location> =
            all.map(|o| Location::new(document.uri.clone(), document.range(o.span))).collect();
        value(places)
    }

    fn hover(&self, params: Value) -> Option<Value> {
        let p = read::<HoverParams>(params)?.text_document_position_params;
        let document = self.documents.get(p.text_document.uri.as_str())?;
        let named = self.named(&p.text_document.uri, p.position);
        let mut parts = Vec::new();
        if let Some((_, names, found)) = &named
            && let Some(definition) = names.definition(found)
        {
            let word = definition.kind.word(document.language);
            let of = definition.scope.and_then(|s| names.procedures.get(s));
            let of = of.map_or(String::new(), |name| format!(" of `{name}`"));
            parts.push(format!("{word} `{}`{of}", found.name));
        }
        if let Some(text) = answers::holds_at(document, p.position.line) {
            parts.push(format!("```text\n{text}\n```"));
        }
        let contents = MarkupContent { kind: MarkupKind::Markdown, value: parts.join("\n\n") };
        let range = named.map(|(document, _, found)| document.range(found.span));
        let hover = Hover { contents: HoverContents::Markup(contents), range };
        if parts.is_empty() { None } else { value(hover) }
    }

    fn completion(&self, params: Value) -> Option<Value> {
        let p = read::<CompletionParams>(params)?.text_document_position;
        let document = self.documents.get(p.text_document.uri.as_str())?;
        let names = names::names(&document.text, document.language);
        let offset = document.offset(p.position);
        let scope = names.scope(offset);
        let before =
            document.text[..offset].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        let jump = before.trim_end().ends_with("goto");
        let mut items: Vec<CompletionItem> = Vec::new();
        let visible = |o: &&Occurrence| o.defines && (o.scope.is_none() || o.scope == scope);
        for found in names.all.iter().filter(visible) {
            if jump && found.kind != Kind::Label || items.iter().any(|i| i.label == found.name) {
                continue;
            }
            items.push(CompletionItem {
                label: found.name.clone(),
                kind: Some(match found.kind {
                    Kind::Procedure => CompletionItemKind::FUNCTION,
                    Kind::Label => CompletionItemKind::REFERENCE,
                    Kind::Event => CompletionItemKind::EVENT,
                    Kind::Variable | Kind::Control => CompletionItemKind::VARIABLE,
                }),
                detail: Some(found.kind.word(document.language).to_owned()),
                ..CompletionItem::default()
            });
        }
        let words = names::keywords(document.language).iter().filter(|_| !jump);
        items.extend(words.map(|word| CompletionItem {
            label: (*word).to_owned(),
            kind: Some(CompletionItemKind::KEYWORD),
            ..CompletionItem::default()
        }));
        value(items)
    }

    fn symbols(&self, params: Value) -> Option<Value> {
        let uri = read::<DocumentSymbolParams>(params)?.text_document.uri;
        let document = self.documents.get(uri.as_str())?;
        let names = names::names(&document.text, document.language);
        let symbols = names.all.iter().filter(|o| o.defines).map(|o| {
            let range = document.range(o.span);
            #[allow(deprecated)]
            let symbol = DocumentSymbol {
                name: o.name.clone(),
                detail: o.scope.and_then(|s| names.procedures.get(s)).cloned(),
                kind: match o.kind {
                    Kind::Procedure => SymbolKind::FUNCTION,
                    Kind::Label => SymbolKind::KEY,
                    Kind::Event => SymbolKind::EVENT,
                    Kind::Variable | Kind::Control => SymbolKind::VARIABLE,
                },
                tags: None,
                deprecated: None,
                range,
                selection_range: range,
                children: None,
            };
            symbol
        });
        value(symbols.collect::<Vec<_>>())
    }

    fn lenses(&self, params: Value) -> Option<Value> {
        let uri = read::<CodeLensParams>(params)?.text_document.uri;
        let document = self.documents.get(uri.as_str())?;
        if matches!(document.language, Language::C | Language::Rule) {
            return value(Vec::<CodeLens>::new());
        }
        let names = names::names(&document.text, document.language);
        let labels = names.all.iter().filter(|o| o.defines && o.kind == Kind::Label);
        let lenses = labels.map(|o| {
            let range = document.range(o.span);
            let proc = o.scope.and_then(|s| names.procedures.get(s));
            let label = proc.map_or(o.name.clone(), |proc| format!("{proc}:{}", o.name));
            let arguments = vec![json!(uri.as_str()), json!(label), json!(range)];
            let command = Command {
                title: "check this label".to_owned(),
                command: CHECK_LABEL.to_owned(),
                arguments: Some(arguments),
            };
            CodeLens { range, command: Some(command), data: None }
        });
        value(lenses.collect::<Vec<_>>())
    }

    fn actions(&self, params: Value) -> Option<Value> {
        let p = read::<CodeActionParams>(params)?;
        let ours =
            |d: &&Diagnostic| d.source.as_deref() == Some("bop") && d.related_information.is_some();
        let uri = p.text_document.uri.as_str();
        let action = |d: &Diagnostic| {
            let command = Command {
                title: "bop: why? (opens the page)".to_owned(),
                command: WHY.to_owned(),
                arguments: Some(vec![json!(uri)]),
            };
            CodeActionOrCommand::CodeAction(CodeAction {
                title: command.title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![d.clone()]),
                command: Some(command),
                ..CodeAction::default()
            })
        };
        value(p.context.diagnostics.iter().filter(ours).map(action).collect::<Vec<_>>())
    }

    fn execute(&mut self, params: Value) -> Vec<Effect> {
        let Some(p) = read::<ExecuteCommandParams>(params) else { return Vec::new() };
        let text = |i: usize| p.arguments.get(i).and_then(Value::as_str);
        let Some(key) = text(0) else { return Vec::new() };
        match (p.command.as_str(), text(1)) {
            (CHECK_LABEL, Some(label)) => {
                let range = p.arguments.get(2).cloned().and_then(read::<lsp_types::Range>);
                self.check_label(key, label, range)
            }
            (WHY, _) => {
                // The file whose check found it: its own, or one that includes it.
                let Ok(uri) = key.parse::<Uri>() else { return Vec::new() };
                let Some(path) = text::path(&uri).and_then(|p| p.to_str().map(str::to_owned))
                else {
                    return Vec::new();
                };
                let about = |(file, found): (&String, &ByFile)| {
                    found.contains_key(&path).then(|| file.clone())
                };
                let file = self.reported.iter().find_map(about).unwrap_or(path);
                let Some(job) = self.documents.values().find(|d| d.path == file) else {
                    return Vec::new();
                };
                let Some(mut job) = self.job(job) else { return Vec::new() };
                for word in &mut job.words {
                    if word == "json" {
                        *word = "html".to_owned();
                    }
                }
                job.page = true;
                vec![Effect::Run(job)]
            }
            _ => Vec::new(),
        }
    }

    fn check_label(
        &mut self,
        key: &str,
        label: &str,
        range: Option<lsp_types::Range>,
    ) -> Vec<Effect> {
        let Some(document) = self.documents.get(key) else { return Vec::new() };
        let uri = document.uri.clone();
        match answers::reached(document, label) {
            Ok((sentence, remark)) => {
                let remark = Diagnostic { range: range.unwrap_or_default(), ..remark };
                let own = self.own.entry(key.to_owned()).or_default();
                own.retain(|d| d.range != remark.range || d.code != remark.code);
                own.push(remark);
                let mut out = vec![said(MessageType::INFO, &sentence)];
                out.extend(self.publish(&uri));
                out
            }
            Err(why) => vec![said(MessageType::WARNING, &why)],
        }
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

fn value<T: Serialize>(answer: T) -> Option<Value> {
    serde_json::to_value(answer).ok()
}

fn told<N: notification::Notification>(params: N::Params) -> Effect {
    let params = serde_json::to_value(params).unwrap_or_default();
    Effect::Send(Message::Notification(Notification { method: N::METHOD.to_owned(), params }))
}

fn said(typ: MessageType, message: &str) -> Effect {
    told::<notification::ShowMessage>(ShowMessageParams { typ, message: message.to_owned() })
}
