//! `/metrics`: what the service has done and what it holds now, for Prometheus.

use std::collections::BTreeMap;
use std::fmt;

use axum::Router;
use axum::extract::State as Of;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use super::answer::plain;
use super::guard;
use super::state::State;
use crate::service::{Service, own_memory};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Language servers of more names are told of together.
const MOST_NAMES: usize = 64;

pub(super) fn routes(state: &State) -> Router<State> {
    Router::new().route("/metrics", get(tell)).route_layer(from_fn_with_state(state.clone(), guard::with_token))
}

async fn tell(Of(state): Of<State>) -> Response {
    let told = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        text::encode(&mut text, &registry(state.service())).map(|()| text)
    });
    match told.await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        _ => plain(StatusCode::INTERNAL_SERVER_ERROR, "the numbers cannot be told"),
    }
}

/// All that is told of `service`.
fn registry(service: &Service) -> Registry {
    let mut registry = Registry::with_prefix("landfall");
    service.tally().register(&mut registry);
    registry.register_collector(Box::new(Present { service: service.clone() }));
    registry
}

/// What is there at the moment of asking.
#[derive(Debug)]
struct Present {
    service: Service,
}

/// What the language servers of one name come to.
#[derive(Debug, Default)]
struct Servers {
    states: BTreeMap<&'static str, u64>,
    restarts: u64,
    memory: u64,
}

impl Present {
    fn servers(&self) -> BTreeMap<String, Servers> {
        let mut by_name: BTreeMap<String, Servers> = BTreeMap::new();
        for status in self.service.registry().workspaces().iter().flat_map(crate::workspace::Workspace::servers) {
            let known = by_name.len() < MOST_NAMES || by_name.contains_key(&status.name);
            let servers = by_name.entry(if known { status.name } else { "other".to_owned() }).or_default();
            *servers.states.entry(status.state).or_default() += 1;
            servers.restarts += u64::from(status.crashes);
            servers.memory += status.memory.unwrap_or_default();
        }
        by_name
    }
}

impl Collector for Present {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut faces: BTreeMap<&'static str, u64> = BTreeMap::new();
        self.service.sessions().iter().for_each(|session| *faces.entry(session.face).or_default() += 1);
        let faces: Vec<_> = faces.into_iter().map(|(face, count)| ([("face", face)], count)).collect();
        gauges(&mut encoder, "sessions", "Open sessions, by how they are connected", None, &faces)?;
        let workspaces = self.service.registry().workspaces().len() as u64;
        gauges(&mut encoder, "workspaces", "Open workspaces", None, &[(NONE, workspaces)])?;
        gauges(&mut encoder, "memory", "Resident memory of this process", Some(&Unit::Bytes), &[(NONE, own_memory())])?;

        let servers = self.servers();
        let of_each = |value: fn(&Servers) -> u64| -> Vec<_> {
            servers.iter().map(|(name, servers)| ([("language_server", name.as_str())], value(servers))).collect()
        };
        let states: Vec<_> = servers
            .iter()
            .flat_map(|(name, servers)| {
                servers.states.iter().map(move |(state, count)| (name.as_str(), *state, *count))
            })
            .map(|(name, state, count)| ([("language_server", name), ("state", state)], count))
            .collect();
        gauges(&mut encoder, "language_servers", "Language servers, by state", None, &states)?;
        gauges(
            &mut encoder,
            "language_server_memory",
            "Resident memory of language servers and of what they started",
            Some(&Unit::Bytes),
            &of_each(|servers| servers.memory),
        )?;
        let restarts = of_each(|servers| servers.restarts);
        let about = "How often language servers have died and were started again";
        let mut family = encoder.encode_descriptor("language_server_restarts", about, None, MetricType::Counter)?;
        for (labels, count) in &restarts {
            family.encode_family(labels)?.encode_counter::<[(&str, &str); 0], _, u64>(count, None)?;
        }
        Ok(())
    }
}

const NONE: [(&str, &str); 0] = [];

fn gauges<L: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    about: &str,
    unit: Option<&Unit>,
    values: &[(L, u64)],
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, about, unit, MetricType::Gauge)?;
    for (labels, value) in values {
        family.encode_family(labels)?.encode_gauge(value)?;
    }
    Ok(())
}
