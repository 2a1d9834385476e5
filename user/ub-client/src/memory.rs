// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use std::sync::Arc;

use ub_abi::*;

use crate::context::Files;
use crate::sys::Mapping;
use crate::tlv::Cmd;
use crate::window::lend_request;
use crate::wr::{sge, RemoteRange};
use crate::{Context, Result};

/// A token id: the name by which peers address segments.
#[derive(Debug)]
pub struct Token {
    files: Arc<Files>,
    handle: u64,
    id: u32,
    live: bool,
}

impl Token {
    /// Allocates one for one segment.
    pub fn alloc(ctx: &Context) -> Result<Self> {
        Self::alloc_with(ctx, 0)
    }

    /// Allocates one with UBURMA_TOKEN_ID_FLAG_*.
    pub fn alloc_with(ctx: &Context, flag: u32) -> Result<Self> {
        let mut cmd = Self::alloc_cmd(flag);
        ctx.run(&mut cmd)?;
        Ok(Token {
            files: ctx.files(),
            handle: cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE),
            id: cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID),
            live: true,
        })
    }

    /// The command that allocates one.
    pub fn alloc_cmd(flag: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_ALLOC_TOKEN_ID)
            .udata(
                UBURMA_ALLOC_TOKEN_ID_IN_UDATA,
                Some(UBURMA_ALLOC_TOKEN_ID_OUT_UDATA),
                &[],
                0,
            )
            .u32(UBURMA_ALLOC_TOKEN_ID_IN_FLAG, flag)
            .out(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID, 4)
            .out(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE, 8)
    }

    /// The command that frees one.
    pub fn free_cmd(handle: u64, id: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_FREE_TOKEN_ID)
            .u64(UBURMA_FREE_TOKEN_ID_IN_HANDLE, handle)
            .u32(UBURMA_FREE_TOKEN_ID_IN_TOKEN_ID, id)
            .udata(UBURMA_FREE_TOKEN_ID_IN_UDATA, None, &[], 0)
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// The token id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Frees it; it stays when that fails.
    pub fn free(&mut self) -> Result<()> {
        Self::free_cmd(self.handle, self.id).run(self.files.dev())?;
        self.live = false;
        Ok(())
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if self.live {
            let _ = self.free();
        }
    }
}

/// How memory is registered.
#[derive(Debug, Clone, Copy)]
pub struct SegmentConfig {
    /// The token that peers have to show.
    pub token: u32,
    /// UBURMA_ACCESS_*; 0 is like UBURMA_ACCESS_LOCAL_ONLY.
    pub access: u32,
    /// UBURMA_TOKEN_*, what is done with the token.
    pub policy: u32,
    /// Further UBURMA_REG_SEG_FLAG_*.
    pub flags: u32,
    /// Whether peers may map the segment.
    pub lend: bool,
}

impl Default for SegmentConfig {
    fn default() -> Self {
        SegmentConfig {
            token: 0,
            access: UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE | UBURMA_ACCESS_ATOMIC,
            policy: UBURMA_TOKEN_PLAIN_TEXT,
            flags: 0,
            lend: false,
        }
    }
}

/// Registered memory.
#[derive(Debug)]
pub struct Segment {
    files: Arc<Files>,
    memory: Arc<Mapping>,
    offset: usize,
    len: usize,
    handle: u64,
    token_id: u32,
    token: u32,
    live: bool,
    // Freed after the segment.
    own_token: Option<Token>,
}

impl Segment {
    /// Allocates memory of this length and registers it under a token id of its own,
    /// for all access of peers that show `token`.
    pub fn alloc(ctx: &Context, len: usize, token: u32) -> Result<Self> {
        let config = SegmentConfig {
            token,
            ..Default::default()
        };
        Self::alloc_with(ctx, len, config)
    }

    /// The same with a configuration.
    pub fn alloc_with(ctx: &Context, len: usize, config: SegmentConfig) -> Result<Self> {
        let memory = Arc::new(Mapping::anonymous(len.next_multiple_of(4096))?);
        Self::register_own(ctx, &memory, 0, len, config)
    }

    /// Registers part of a mapping under a token id of its own.
    pub fn register_own(
        ctx: &Context,
        memory: &Arc<Mapping>,
        offset: usize,
        len: usize,
        config: SegmentConfig,
    ) -> Result<Self> {
        let token = Token::alloc(ctx)?;
        let mut segment = Self::register(ctx, memory, offset, len, Some(&token), config)?;
        segment.own_token = Some(token);
        Ok(segment)
    }

    /// Registers part of a mapping.
    pub fn register(
        ctx: &Context,
        memory: &Arc<Mapping>,
        offset: usize,
        len: usize,
        token: Option<&Token>,
        config: SegmentConfig,
    ) -> Result<Self> {
        let va = memory.addr() + offset as u64;
        let token_ref = token.map(|token| (token.id, token.handle));
        let mut cmd = Self::register_cmd(va, len as u64, token_ref, config);
        ctx.run(&mut cmd)?;
        Ok(Segment {
            files: ctx.files(),
            memory: memory.clone(),
            offset,
            len,
            handle: cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE),
            token_id: cmd.get_u32(UBURMA_REGISTER_SEG_OUT_TOKEN_ID),
            token: config.token,
            live: true,
            own_token: None,
        })
    }

    /// The command that registers memory; `token` is token id and handle.
    pub fn register_cmd(
        va: u64,
        len: u64,
        token: Option<(u32, u64)>,
        config: SegmentConfig,
    ) -> Cmd {
        let mut flag = config.flags
            | (config.policy << UBURMA_REG_SEG_FLAG_TOKEN_POLICY_SHIFT)
            | (config.access << UBURMA_REG_SEG_FLAG_ACCESS_SHIFT);
        if token.is_some() {
            flag |= UBURMA_REG_SEG_FLAG_TOKEN_ID_VALID;
        }
        let (id, handle) = token.unwrap_or((0, 0));
        Cmd::new(UBURMA_CMD_REGISTER_SEG)
            .u64(UBURMA_REGISTER_SEG_IN_VA, va)
            .u64(UBURMA_REGISTER_SEG_IN_LEN, len)
            .u32(UBURMA_REGISTER_SEG_IN_TOKEN_ID, id)
            .u64(UBURMA_REGISTER_SEG_IN_TOKEN_ID_HANDLE, handle)
            .u32(UBURMA_REGISTER_SEG_IN_TOKEN, config.token)
            .u32(UBURMA_REGISTER_SEG_IN_FLAG, flag)
            .udata(
                UBURMA_REGISTER_SEG_IN_UDATA,
                Some(UBURMA_REGISTER_SEG_OUT_UDATA),
                &lend_request(config.lend),
                0,
            )
            .out(UBURMA_REGISTER_SEG_OUT_TOKEN_ID, 4)
            .out(UBURMA_REGISTER_SEG_OUT_HANDLE, 8)
    }

    /// The command that takes a segment away.
    pub fn unregister_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_UNREGISTER_SEG).u64(UBURMA_UNREGISTER_SEG_IN_HANDLE, handle)
    }

    /// Takes the segment away; it stays when that fails. The memory stays anyway.
    pub fn unregister(&mut self) -> Result<()> {
        Self::unregister_cmd(self.handle).run(self.files.dev())?;
        self.live = false;
        self.own_token = None;
        Ok(())
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Address of its first byte.
    pub fn addr(&self) -> u64 {
        self.memory.addr() + self.offset as u64
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing; cannot be.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its token id.
    pub fn token_id(&self) -> u32 {
        self.token_id
    }

    /// The memory, of which the segment may be a part.
    pub fn memory(&self) -> &Arc<Mapping> {
        &self.memory
    }

    /// A range of it for a work request of this context.
    pub fn sge(&self, offset: usize, len: usize) -> ubsoft_sge {
        sge(self.addr() + offset as u64, len as u32, self.token_id)
    }

    /// What a peer needs to access it from an offset on.
    pub fn remote(&self, offset: usize) -> RemoteRange {
        RemoteRange {
            addr: self.addr() + offset as u64,
            token_id: self.token_id,
            token: self.token,
        }
    }

    /// Copies bytes in.
    pub fn write(&self, offset: usize, data: &[u8]) {
        self.memory.write(self.offset + offset, data);
    }

    /// Copies bytes out.
    pub fn bytes(&self, offset: usize, len: usize) -> Vec<u8> {
        self.memory.bytes(self.offset + offset, len)
    }

    /// Sets bytes to a value.
    pub fn fill(&self, offset: usize, len: usize, value: u8) {
        self.memory.fill(self.offset + offset, len, value);
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.live {
            let _ = self.unregister();
        }
    }
}
