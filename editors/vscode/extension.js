// Starts `bop lsp`, and lets VS Code speak with it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("bop");
  const languages = ["bp", "remopla", "pds", "bop-rule"];
  if (settings.get("c")) languages.push("c");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("bop", "Postbop", server, {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    initializationOptions: { check: settings.get("check") },
  });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
