package config

// Table lists every setting in the order in which operators read them.
var Table = []Row{
	{
		Name: "PORT", Default: "8080", Doc: "TCP port the web process listens on",
		parse: func(c *Config, v string) error { return port(&c.Port, v) },
	},
	{
		Name: "DATABASE_URL", HasURL: true,
		Doc:   "PostgreSQL 15+, postgres://user:password@host/name; empty: `up` starts a private one below DATA_DIR",
		parse: func(c *Config, v string) error { return address(&c.DatabaseURL, v, "postgres", "postgresql") },
	},
	{
		Name: "REDIS_URL", HasURL: true,
		Doc:   "Redis 7+, redis://:password@host:6379/0 or rediss://; empty: `up` starts a private one below DATA_DIR",
		parse: func(c *Config, v string) error { return redisAddress(&c.RedisURL, v) },
	},
	{
		Name: "BASE_URL", Doc: "address of the API as its users see it; empty: http://localhost:PORT",
		parse: func(c *Config, v string) error { return webAddress(&c.BaseURL, v) },
	},
	{
		Name: "SHARED_DOMAINS", Default: "localhost",
		Doc:   "hosts of the tracking links that all accounts share, separated by commas",
		parse: func(c *Config, v string) error { return hosts(&c.SharedDomains, v) },
	},
	{
		Name: "TRACKING_HOST", Doc: "host that customers point the CNAME of their own domain at; empty: the first of SHARED_DOMAINS",
		parse: func(c *Config, v string) error { return host(&c.TrackingHost, v) },
	},
	{
		Name: "ENCRYPTION_KEY", Secret: true,
		Doc:   "seals stored credentials: 32 random bytes in hex or base64; empty: none can be stored",
		parse: func(c *Config, v string) error { return key(&c.EncryptionKey, v) },
	},
	{
		Name: "OPS_PASSWORD", Secret: true,
		Doc:   "password of /ops and /metrics (any user name); empty: /ops is off, /metrics for this machine only",
		parse: func(c *Config, v string) error { return password(&c.OpsPassword, v) },
	},
	{
		Name: "DATA_DIR", Default: ".data", Doc: "directory of the click spool and of the private servers",
		parse: func(c *Config, v string) error { return text(&c.DataDir, v) },
	},
	{
		Name: "CLICK_ACK", Default: string(AckDisk),
		Doc:   "a click is answered once it is on this process's disk (disk) or in PostgreSQL (postgres: for disks that vanish)",
		parse: func(c *Config, v string) error { return choice(&c.ClickAck, v, AckDisk, AckPostgres) },
	},
	{
		Name: "TRUSTED_PROXIES", Doc: "addresses or CIDRs whose X-Forwarded-For is believed, separated by commas",
		parse: func(c *Config, v string) error { return prefixes(&c.TrustedProxies, v) },
	},
	{
		Name: "EGRESS_ALLOW", Doc: "addresses or CIDRs that outbound requests may reach although private; for tests and closed networks",
		parse: func(c *Config, v string) error { return prefixes(&c.EgressAllow, v) },
	},
	{
		Name: "EGRESS_CA_FILE", Doc: "PEM file of certificate authorities that outbound TLS trusts besides the system's",
		parse: func(c *Config, v string) error { return file(&c.EgressCAFile, v) },
	},
	{
		Name: "GEO_CITY_DB", Doc: "MaxMind-format file for country, region and city; empty: country only, built in",
		parse: func(c *Config, v string) error { return file(&c.GeoCityDB, v) },
	},
	{
		Name: "GEO_ASN_DB", Doc: "MaxMind-format file for network number and organization",
		parse: func(c *Config, v string) error { return file(&c.GeoASNDB, v) },
	},
	{
		Name: "GEO_ANONYMOUS_DB", Doc: "MaxMind-format file of proxies, VPNs and hosting addresses",
		parse: func(c *Config, v string) error { return file(&c.GeoAnonymousDB, v) },
	},
	{
		Name: "WEBHOOK_SCHEDULE", Doc: "waits between webhook attempts, such as 1s,5s,30s; empty: the documented schedule",
		parse: func(c *Config, v string) error { return durations(&c.WebhookSchedule, v) },
	},
	{
		Name: "WEB_RISK_KEY", Secret: true,
		Doc:   "API key of Google Web Risk, which lists unsafe links; without it and SAFE_BROWSING_KEY links are not looked up",
		parse: func(c *Config, v string) error { return text(&c.WebRiskKey, v) },
	},
	{
		Name: "SAFE_BROWSING_KEY", Secret: true,
		Doc:   "API key of Google Safe Browsing (version 4, non-commercial use only), asked where there is no WEB_RISK_KEY",
		parse: func(c *Config, v string) error { return text(&c.SafeBrowsingKey, v) },
	},
	{
		Name: "SAFE_BROWSING_URL", Doc: "https address asked instead of Google's for unsafe links, without a path",
		parse: func(c *Config, v string) error { return webAddress(&c.SafeBrowsingURL, v) },
	},
	{
		Name: "LOG_LEVEL", Default: "info", Doc: "debug, info, warn or error",
		parse: func(c *Config, v string) error { return level(&c.LogLevel, v) },
	},
}
