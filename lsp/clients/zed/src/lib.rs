//! Starts `git-oracl lsp` from the PATH of the project.

use zed_extension_api as zed;

struct Oracl;

impl zed::Extension for Oracl {
    fn new() -> Self {
        Oracl
    }

    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let command = worktree
            .which("git-oracl")
            .ok_or("git-oracl is not on the PATH: pip install 'oracl-git[lsp]'")?;
        Ok(zed::Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Oracl);
