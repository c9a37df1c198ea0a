using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    (name = "bundles", external = (address = "BUNDLES", http = ())),
    (name = "origin", external = (address = "ORIGIN", http = ())),
  ],
  sockets = [(
    name = "http", address = "127.0.0.1:0", service = "edge",
    http = (forwardedProtoHeader = "X-Test-Proto", cfBlobHeader = "X-Test-Cf"),
  )],
);

const edge :Workerd.Worker = (
  modules = [
    (name = "entry.js", esModule = embed "entry.js"),
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "flow.js", esModule = embed "flow.js"),
    (name = "visitor.js", esModule = embed "visitor.js"),
    (name = "address.js", esModule = embed "address.js"),
    (name = "report.js", esModule = embed "report.js"),
  ],
  bindings = [
    (name = "BUNDLES", kvNamespace = "bundles"),
    (name = "ORIGIN", text = "http://origin.test"),
    (name = "EDGE_SECRET", text = "SECRET"),
  ],
  compatibilityDate = "2026-01-01",
  globalOutbound = "origin",
);
