// SPDX-License-Identifier: GPL-2.0

//! How the kernel's memory grows with local jettys and remote nodes.
//!
//! Transport state is kept for each remote node, not for each pair of a local jetty and a remote
//! one. Jettys of the reliable message service that talk to many nodes must not show in the ledger
//! as more than the sum of both; connections, which need a pair of jettys each, must.
//!
//! `full=1` goes up to 256 of each.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{Context, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, SendWr, Target, TargetConfig};
use ub_tests::counters::Ledger;
use ub_tests::fixture::{expect_status, PairConfig, Side, SOON};
use ub_tests::own::Own;
use ub_tests::{check, tests, Failure, Outcome};

/// Bytes of the ledger at a number of local jettys and of remote nodes.
struct Sample {
    jettys: usize,
    nodes: usize,
    ledger: Ledger,
}

/// The coefficients of `a + b * jettys + c * nodes + d * jettys * nodes`.
struct Fit([f64; 4]);

impl Fit {
    /// By least squares: the normal equations, solved by elimination.
    fn new(points: &[(usize, usize, f64)]) -> Self {
        let mut rows = [[0f64; 5]; 4];
        for &(jettys, nodes, value) in points {
            let (n, m) = (jettys as f64, nodes as f64);
            let terms = [1.0, n, m, n * m];
            for (row, left) in rows.iter_mut().zip(terms) {
                for (cell, right) in row.iter_mut().zip(terms) {
                    *cell += left * right;
                }
                row[4] += left * value;
            }
        }
        for pivot in 0..4 {
            let best = (pivot..4)
                .max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()))
                .unwrap_or(pivot);
            rows.swap(pivot, best);
            let head = rows[pivot];
            for (index, row) in rows.iter_mut().enumerate() {
                if index != pivot {
                    let factor = row[pivot] / head[pivot];
                    for (cell, above) in row.iter_mut().zip(head) {
                        *cell -= factor * above;
                    }
                }
            }
        }
        let mut result = [0f64; 4];
        for (index, value) in result.iter_mut().enumerate() {
            *value = rows[index][4] / rows[index][index];
        }
        Fit(result)
    }
}

/// What of the bytes at the largest sample comes from pairs, as a share of all; says what it found.
fn share_of_pairs(what: &str, samples: &[Sample]) -> Result<f64, Failure> {
    let last = samples.last().ok_or("no samples".to_string())?;
    let value = |sample: &Sample| sample.ledger.bytes_but(&["targets"]) as f64;
    let points: Vec<(usize, usize, f64)> = samples
        .iter()
        .map(|sample| (sample.jettys, sample.nodes, value(sample)))
        .collect();
    let Fit([a, b, c, d]) = Fit::new(&points);
    let pairs = d * (last.jettys * last.nodes) as f64;
    let share = pairs / value(last);
    println!(
        "# {what}: {a:.0} + {b:.1} N + {c:.1} M + {d:.3} N M bytes; pairs {:.3} % of {:.0}; \
         imports {} bytes",
        100.0 * share,
        value(last),
        last.ledger.bytes("targets"),
    );
    Ok(share)
}

/// Sizes of the sweep.
fn sizes(full: bool) -> &'static [usize] {
    if full {
        &[1, 4, 16, 64, 256]
    } else {
        &[1, 3, 9]
    }
}

/// A device of its own with a jetty and memory on it.
struct Node {
    side: Side,
    own: Own,
}

impl Node {
    fn create(number: usize, mode: u32) -> Result<Self, Failure> {
        let own = Own::create(&format!("ubnode{number}"))?;
        let config = PairConfig {
            mode,
            ..Default::default()
        };
        let side = Side::create_in(Context::open(&own.device)?, config)?;
        Ok(Node { side, own })
    }

    fn remove(self) -> Outcome {
        drop(self.side);
        let mut own = self.own;
        own.remove()
    }
}

/// A jetty of the local side, on its queues.
fn another(side: &Side) -> Result<Jetty, Failure> {
    let mut config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    config.send.depth = 4;
    Ok(Jetty::create(&side.ctx, config)?)
}

fn messages_share_transport_state(full: bool) -> Outcome {
    let mut here = Side::create(Default::default())?;
    let (mut nodes, mut targets) = (Vec::new(), Vec::<Target>::new());
    let mut samples = Vec::new();
    for &count in sizes(full) {
        while nodes.len() < count {
            let node = Node::create(nodes.len(), UBURMA_TM_RM)?;
            targets.push(here.import(&node.side)?);
            nodes.push(node);
        }
        let mut jettys = Vec::new();
        for &wanted in sizes(full) {
            while jettys.len() < wanted {
                jettys.push(another(&here)?);
            }
            // All pairs have talked.
            for jetty in &mut jettys {
                for (target, node) in targets.iter().zip(&nodes) {
                    let list = [here.memory.sge(0, 8)];
                    let remote = node.side.memory.remote(0);
                    let wr = SendWr::write(target.target_ref(), remote, &list);
                    jetty.queue().send(&wr)?;
                    expect_status(&here.sent.wait_polling(SOON)?, UBURMA_CR_SUCCESS)?;
                }
            }
            samples.push(Sample {
                jettys: wanted,
                nodes: count,
                ledger: Ledger::take()?,
            });
        }
    }
    let share = share_of_pairs("messages", &samples)?;
    drop(targets);
    for node in nodes {
        node.remove()?;
    }
    check!(share.abs() <= 0.01, "{share} of all is for pairs");
    Ok(())
}

/// A connected jetty and what it receives by.
struct End {
    _jfr: Jfr,
    jetty: Jetty,
    ctx: Context,
}

impl End {
    fn create(ctx: &Context, jfc: &Jfc) -> Result<Self, Failure> {
        let jfr = Jfr::create(
            ctx,
            JfrConfig {
                mode: UBURMA_TM_RC,
                depth: 4,
                ..JfrConfig::on(jfc)
            },
        )?;
        let mut config = JettyConfig::on(jfc, jfc, &jfr);
        config.send.depth = 4;
        let jetty = Jetty::create(ctx, config)?;
        Ok(End {
            _jfr: jfr,
            jetty,
            ctx: ctx.clone(),
        })
    }

    /// Connects it to another one, of which it keeps the import.
    fn connect(&self, peer: &End) -> Result<Target, Failure> {
        let config = TargetConfig::jetty(peer.ctx.eid(), peer.jetty.id(), 0).mode(UBURMA_TM_RC);
        let target = Target::jetty(&self.ctx, config)?;
        self.jetty.bind(&target)?;
        Ok(target)
    }
}

/// As many local endpoints, each connected to each node.
fn connections_do_not() -> Outcome {
    const SIZES: [usize; 3] = [1, 2, 4];
    let here = Context::open_first()?;
    let jfc = Jfc::create(&here, 64)?;
    let mut samples = Vec::new();
    for nodes in SIZES {
        for endpoints in SIZES {
            let (mut devices, mut ends) = (Vec::new(), Vec::new());
            for number in 0..nodes {
                let own = Own::create(&format!("ubnode{number}"))?;
                let there = Context::open(&own.device)?;
                let far_jfc = Jfc::create(&there, 64)?;
                for _ in 0..endpoints {
                    let near = End::create(&here, &jfc)?;
                    let far = End::create(&there, &far_jfc)?;
                    let imports = (near.connect(&far)?, far.connect(&near)?);
                    ends.push((imports, near, far));
                }
                devices.push((far_jfc, there, own));
            }
            samples.push(Sample {
                jettys: endpoints,
                nodes,
                ledger: Ledger::take()?,
            });
            for ((to_far, to_near), near, far) in ends {
                near.jetty.unbind(&to_far)?;
                far.jetty.unbind(&to_near)?;
            }
            for (far_jfc, there, mut own) in devices {
                drop((far_jfc, there));
                own.remove()?;
            }
        }
    }
    let share = share_of_pairs("connections", &samples)?;
    check!(share > 0.2, "only {share} of all is for pairs");
    Ok(())
}

fn messages() -> Outcome {
    messages_share_transport_state(false)
}

fn messages_full() -> Outcome {
    messages_share_transport_state(true)
}

pub fn main() -> ExitCode {
    let tests: &[ub_tests::Test] = if ub_tests::is_full() {
        tests![messages_full, connections_do_not]
    } else {
        tests![messages, connections_do_not]
    };
    let options = ub_tests::Options {
        limit: ub_tests::of_run(60, 1000),
        ..Default::default()
    };
    ub_tests::run_with("t-state", tests, options)
}
