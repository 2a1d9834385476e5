// SPDX-License-Identifier: GPL-2.0

//! How the two processes agree: short texts over a socket, `WORD key=value ...`. The
//! data itself goes through the device alone.

use std::os::fd::RawFd;

use ub_client::sys;

/// How long a process waits for the other, in milliseconds.
const PATIENCE_MS: i32 = 60_000;

/// The socket to the other process, or to the one that prints.
#[derive(Debug, Clone, Copy)]
pub struct Wire(pub RawFd);

/// A text that came.
#[derive(Debug)]
pub struct Message {
    /// Its first word.
    pub word: String,
    /// The rest.
    pub rest: String,
}

impl Message {
    /// Takes a text apart.
    pub fn parse(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Message {
            word: word.to_string(),
            rest: rest.to_string(),
        }
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Result<&str, String> {
        self.rest
            .split(' ')
            .filter_map(|pair| pair.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
            .ok_or_else(|| format!("'{}' lacks {key}", self.word))
    }

    /// The number of a key.
    pub fn number(&self, key: &str) -> Result<u64, String> {
        let text = self.text(key)?;
        text.parse()
            .map_err(|_| format!("{key} of '{}' is '{text}'", self.word))
    }
}

impl Wire {
    /// Sends a text.
    pub fn say(&self, text: &str) -> Result<(), String> {
        sys::send_message(self.0, text.as_bytes()).map_err(|err| err.to_string())
    }

    /// Waits for a text.
    pub fn hear(&self) -> Result<Message, String> {
        let bytes =
            sys::receive_message(self.0, 4096, PATIENCE_MS).map_err(|err| err.to_string())?;
        if bytes.is_empty() {
            return Err("the other process is gone".to_string());
        }
        Ok(Message::parse(&String::from_utf8_lossy(&bytes)))
    }

    /// Waits for a text that begins with this word; another one is an error.
    pub fn expect(&self, word: &str) -> Result<Message, String> {
        let message = self.hear()?;
        if message.word == word {
            return Ok(message);
        }
        Err(format!("{} {}", message.word, message.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let message = Message::parse("GO size=12 name=abc");
        assert_eq!(message.word, "GO");
        assert_eq!(message.number("size"), Ok(12));
        assert_eq!(message.text("name"), Ok("abc"));
        assert!(message.number("name").is_err());
        assert!(message.text("other").is_err());
    }
}
