use std::time::Duration;

/// How much a client may have.
#[derive(Clone, Copy, Debug)]
pub struct HttpServerLimits {
    /// Longest head of a request; at least 8 KiB, which is the default.
    pub head_bytes: usize,
    /// Longest body of a request; by default 8 KiB.
    pub body_bytes: usize,
    /// How long a connection may take until its request is there, and to take its answer; by
    /// default 10 seconds.
    pub request: Duration,
    /// How long a client may stay after its answer; by default 2 seconds.
    pub linger: Duration,
}

impl Default for HttpServerLimits {
    fn default() -> Self {
        Self {
            head_bytes: 8 << 10,
            body_bytes: 8 << 10,
            request: Duration::from_secs(10),
            linger: Duration::from_secs(2),
        }
    }
}
