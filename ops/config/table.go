package config

import (
	"slices"

	"switchyard/models"
)

type row struct {
	name, fallback, doc string
	read                func(value string) error
	mask                func(value string) string // hides the secret part of a value; nil: the value has no secrets
}

// table lists every setting, in the order in which operators see them.
func table(c *Config) []row {
	return slices.Concat(ownSettings(c), outsideSettings(c), signInSettings(c))
}

func ownSettings(c *Config) []row {
	return []row{
		setting("PORT", "8080", &c.Port, port, "TCP port the web process listens on"),
		setting("BIND", "", &c.Bind, bindAddress,
			"address of this machine that PORT is opened at; empty: all addresses, or only loopback under `up`"),
		setting("OPS_ADDR", "", &c.OpsAddr, listenAddress,
			"where the web process serves /ops and /metrics, HOST:PORT; "+
				"empty: 127.0.0.1 with port PORT + 1000 (PORT - 1000 if PORT is above 64535), or PORT itself if `up` listens on loopback"),
		setting("TLS_ADDR", "", &c.TLSAddr, listenAddress,
			"where the web process terminates TLS for every host that has a certificate, HOST:PORT such as :443; empty: nowhere"),
		setting("HTTP_ADDR", "", &c.HTTPAddr, listenAddress,
			"where the web process answers visitors and certificate authorities without TLS, HOST:PORT such as :80; empty: nowhere"),
		setting("HSTS_MAX_AGE", "", &c.HSTSMaxAge, duration,
			"how long browsers must use only https (the header Strict-Transport-Security) for domains with https_only and "+
				"the install's own hosts: a duration such as 720h; empty: the header is not sent"),
		setting("DATABASE_URL", "", &c.DatabaseURL, databaseURL,
			"PostgreSQL 15+, postgres://user:password@host/name; empty: `up` starts a private one below DATA_DIR").masked(maskURL),
		setting("DATABASE_DIRECT_URL", "", &c.DirectURL, databaseURL,
			"address of PostgreSQL itself, if DATABASE_URL leads to a pooler in transaction mode (PgBouncer): for notifications, locks and "+
				"migrations; empty: DATABASE_URL leads to PostgreSQL").masked(maskURL),
		setting("DATABASE_READ_URL", "", &c.ReadURL, databaseURL,
			"streaming replica of DATABASE_URL; reports, logs and exports are read from the replica; empty: they are read from DATABASE_URL").masked(maskURL),
		setting("DATABASE_READ_BEHIND", "5s", &c.ReadBehind, duration,
			"the largest lag of DATABASE_READ_URL; while its lag is larger, or it cannot be reached, DATABASE_URL is read"),
		setting("REDIS_URL", "", &c.RedisURL, redisURL,
			"Redis 7+, redis://:password@host:6379/0 or rediss://; ?master_name=NAME at the address of a Sentinel, "+
				"?addr=HOST:PORT for further nodes of a Cluster; empty: `up` starts a private one below DATA_DIR").masked(maskURL),
		setting("CLICKS_URL", "", &c.ClicksURL, clicksURL,
			"ClickHouse 24.8+, which clicks are copied to for reports, clickhouse://user:password@host:9000/name, further hosts separated by "+
				"commas, or https://; see ops/runbooks/clickhouse.md; empty: clicks are only in PostgreSQL").masked(maskURL),
		setting("CLICKS_CLUSTER", "", &c.ClicksCluster, clusterName,
			"name of the cluster in ClickHouse's setting remote_servers; the tables are then replicated; empty: CLICKS_URL leads to one server"),
		setting("CLICKS_BATCH", "20000", &c.ClicksBatch, clicksBatch, "the most changes that are sent to ClickHouse at once, 100 to 1000000"),
		setting("CLICKS_FLUSH", "1s", &c.ClicksFlush, duration, "how often changes are sent to ClickHouse"),
		setting("CLICKS_DAYS", "0", &c.ClicksDays, clicksDays,
			"days after which clicks are only in ClickHouse, at least 8, such as 90; 0: all clicks stay in PostgreSQL too"),
		setting("BASE_URL", "", &c.BaseURL, webURL,
			"address of the API and the dashboard as users see it; empty: http://127.0.0.1:PORT, with the address in BIND instead if it is set"),
		setting("SHARED_DOMAINS", "localhost", &c.SharedDomains, hosts,
			"hosts of the tracking links that all accounts share, separated by commas; "+
				"the host of BASE_URL may be among them only if no other machine can reach the install"),
		setting("TRACKING_HOST", "", &c.TrackingHost, host,
			"host that customers point their own domains at, with a wildcard record below it for the CNAMEs of each account; "+
				"empty: the first of SHARED_DOMAINS, and customers prove their domains by TXT records alone"),
		setting("ENCRYPTION_KEY", "", &c.EncryptionKey, key,
			"key that encrypts stored credentials: 32 random bytes in hex or base64; empty: no credentials can be stored, but `up` makes a key").masked(maskAll),
		setting("OPS_PASSWORD", "", &c.OpsPassword, password,
			"password of /ops and /metrics (any user name); empty: /ops is off and only this machine can read /metrics, but `up` makes a password").masked(maskAll),
		setting("DATA_DIR", ".data", &c.DataDir, text, "directory of the click spool, cached certificates, and the private servers and secrets of `up`"),
		setting("MCP", "on", &c.MCP, onOff,
			"whether the API answers assistants at /mcp: on, or off for the whole install; owners switch it off for their account under Settings"),
		setting("DASHBOARD_DIR", "", &c.DashboardDir, text,
			"directory with the dashboard's files, for work on it; empty: the files in the binary"),
		setting("PLANS_FILE", "", &c.Plans, plansFile,
			"JSON file of the plans that accounts may have, in the form of `switchyard plans --json`; empty: the built-in ones"),
		setting("CLICK_ACK", string(AckDisk), &c.ClickAck, oneOf(AckDisk, AckPostgres),
			"when a click is answered; disk: once it is on this process's disk; postgres: once it is in PostgreSQL, for machines whose disk does not last"),
		setting("TRUSTED_PROXIES", "", &c.TrustedProxies, prefixes,
			"proxies in front (nginx, Caddy, a load balancer): the addresses or CIDRs whose X-Forwarded-For is trusted, "+
				"separated by commas, such as 10.0.0.0/8; empty: behind a proxy, all visitors have the proxy's address"),
		setting("EGRESS_ALLOW", "", &c.EgressAllow, prefixes,
			"private addresses or CIDRs that outbound requests may reach; for tests and closed networks"),
		setting("EGRESS_CA_FILE", "", &c.EgressCAFile, file,
			"PEM file of certificate authorities that outbound TLS trusts in addition to the system's"),
		setting("EGRESS_HOSTS", "", &c.EgressHosts, hostAddresses,
			"hosts that outbound requests reach at an address of yours instead of by DNS, separated by commas, such as "+
				"graph.facebook.com=10.0.0.5 or api.example.com=10.0.0.5:8443; a private address must be in EGRESS_ALLOW too"),
		setting("DNS_SERVERS", "", &c.DNSServers, addresses,
			"DNS servers that workers use to verify crawlers and domains, separated by commas, such as 192.0.2.53 or [2001:db8::1]:5353; "+
				"empty: those of the system"),
		setting("DOMAIN_PORTS", "80,443", &c.DomainPorts, twoPorts,
			"ports at which workers check domains by HTTP and HTTPS; other ports are for tests"),
		setting("ACME_DIRECTORY", "", &c.ACMEDirectories, directories,
			"directories of the certificate authorities that workers try in this order, https addresses separated by commas, such as "+
				"https://acme-v02.api.letsencrypt.org/directory; by setting it you agree to their terms; empty: no certificates"),
		setting("ACME_EMAIL", "", &c.ACMEEmail, email, "address that certificate authorities write to; may be empty"),
		setting("ACME_EAB", "", &c.ACMEAccounts, acmeAccounts,
			"your accounts at the authorities of ACME_DIRECTORY (external account binding), in the same order, separated by commas: each is "+
				"KEY_ID:HMAC_KEY, or empty for an authority that needs none",
		).masked(maskAll),
	}
}

func outsideSettings(c *Config) []row {
	return []row{
		setting("GEO_CITY_DB", "", &c.GeoCityDB, file,
			"MaxMind-format file for country, region and city; empty: country only, built in"),
		setting("GEO_ASN_DB", "", &c.GeoASNDB, file, "MaxMind-format file for network number and organization; empty: only accounts with a geo provider of their own get them"),
		setting("GEO_ANONYMOUS_DB", "", &c.GeoAnonymousDB, file,
			"MaxMind-format file of proxies, VPNs and hosting addresses; empty: only the built-in and loaded lists of networks name such addresses"),
		setting("WEBHOOK_SCHEDULE", "", &c.WebhookSchedule, durations,
			"waits, such as 1s,5s,30s, between attempts to deliver webhooks, alerts, and postbacks to sources and old trackers; empty: the documented schedule"),
		setting("WEB_RISK_KEY", "", &c.WebRiskKey, text,
			"API key of Google Web Risk, which lists unsafe links; if neither it nor SAFE_BROWSING_KEY is set, links are not looked up",
		).masked(maskAll),
		setting("SAFE_BROWSING_KEY", "", &c.SafeBrowsingKey, text,
			"API key of Google Safe Browsing (version 5, non-commercial use only), used if there is no WEB_RISK_KEY",
		).masked(maskAll),
		setting("SAFE_BROWSING_URL", "", &c.SafeBrowsingURL, webURL,
			"https address that is called instead of Google's for unsafe links, without a path"),
		setting("GEO_LOOKUP_URL", "", &c.GeoLookupURL, webURL,
			"https address that is called instead of the geo providers of accounts, without a path, because /PROVIDER is appended"),
		setting("DNS_PROVIDER_URL", "", &c.DNSProviderURL, webURL,
			"https address that is called instead of the DNS providers of accounts, without a path, because /PROVIDER is appended"),
		setting("RDAP_URL", "", &c.RDAPURL, webURL,
			"https address of a folder with dns.json, the list of registries that report when the registration of a domain ends; empty: IANA's"),
		setting("EDGE_SECRET", "", &c.EdgeSecret, key,
			"secret that the edge's script signs clicks with: 32 random bytes in hex; empty: clicks of an edge are refused").masked(maskAll),
		setting("CLOUDFLARE_API_TOKEN", "", &c.CloudflareToken, text,
			"API token of Cloudflare, whose custom hostnames serve customers' domains over HTTPS; needs CLOUDFLARE_ZONE_ID or CLOUDFLARE_KV_NAMESPACE").masked(maskAll),
		setting("CLOUDFLARE_ZONE_ID", "", &c.CloudflareZone, cloudflareID,
			"zone of the custom hostnames, 32 hexadecimal digits; TRACKING_HOST must be a proxied host in this zone, and its fallback origin"),
		setting("CLOUDFLARE_ACCOUNT_ID", "", &c.CloudflareAccount, cloudflareID,
			"account of CLOUDFLARE_KV_NAMESPACE, 32 hexadecimal digits"),
		setting("CLOUDFLARE_KV_NAMESPACE", "", &c.CloudflareKV, cloudflareID,
			"Workers KV namespace that campaigns are published to, 32 hexadecimal digits; empty: no campaigns are published"),
		setting("CLOUDFLARE_URL", "", &c.CloudflareURL, webURL, "https address that is called instead of Cloudflare's API; for tests"),
		setting("NETWORK_URL", "", &c.NetworkURL, webURL,
			"https address that is called instead of the platforms of affiliate networks, without a path, because /PROVIDER is appended"),
		setting("AD_URL", "", &c.AdURL, webURL,
			"https address that is called instead of the ad platforms, without a path, because /PROVIDER is appended"),
		setting("GOOGLE_ADS_VERSION", "", &c.GoogleAdsVersion, text, "version of the Google Ads API, such as v26; empty: the newest that is known"),
		setting("META_VERSION", "", &c.MetaVersion, text, "version of Meta's Graph API, such as v27.0; empty: the newest that is known"),
		setting("RATES_URL", "", &c.RatesURL, webURL,
			"https address that is called instead of the European Central Bank's for exchange rates, without a path"),
		setting("RATES_FILE", "", &c.RatesFile, file,
			"table of exchange rates, CSV of day, currency and the value of one euro in that currency; workers read it every hour; empty: the "+
				"European Central Bank's rates are fetched, if anything is in another currency than its account's"),
		setting("CONVERSION_UPLOADS", "on", &c.ConversionUploads, onOff,
			"whether conversions are uploaded to ad platforms: on, or off for all accounts; uploads that wait are sent when it is on again"),
		setting("GOOGLE_UPLOADS", GoogleDataManager, &c.GoogleUploads, oneOf(GoogleDataManager, GoogleClickConversions),
			"API by which conversions are uploaded to Google Ads: data_manager, or click_conversions, which only projects that used it "+
				"before June 2026 may still use"),
		setting("GOOGLE_ADS_CLIENT_ID", "", &c.GoogleAdsClientID, text,
			"client id of this install at Google (type: web application), with BASE_URL/api/oauth/callback as its redirect URI; "+
				"with GOOGLE_ADS_CLIENT_SECRET accounts can sign in at Google Ads"),
		setting("GOOGLE_ADS_CLIENT_SECRET", "", &c.GoogleAdsSecret, text, "secret of GOOGLE_ADS_CLIENT_ID").masked(maskAll),
		setting("MICROSOFT_ADS_CLIENT_ID", "", &c.MicrosoftClientID, text,
			"application id of this install at Microsoft Entra, with BASE_URL/api/oauth/callback as its redirect URI; "+
				"with MICROSOFT_ADS_CLIENT_SECRET accounts can sign in at Microsoft Advertising"),
		setting("MICROSOFT_ADS_CLIENT_SECRET", "", &c.MicrosoftSecret, text, "secret of MICROSOFT_ADS_CLIENT_ID").masked(maskAll),
		setting("MICROSOFT_ADS_DEVELOPER_TOKEN", "", &c.MicrosoftToken, text,
			"developer token of this install at Microsoft Advertising, needed to read its ad accounts").masked(maskAll),
		setting("META_APP_ID", "", &c.MetaAppID, text,
			"id of this install's app at Meta, with BASE_URL/api/oauth/callback as its redirect URI; with META_APP_SECRET accounts can sign in at Meta"),
		setting("META_APP_SECRET", "", &c.MetaSecret, text, "secret of META_APP_ID").masked(maskAll),
		setting("OAUTH_URL", "", &c.OAuthURL, webURL,
			"https address that is called instead of the platforms at which accounts sign in, without a path, because /PROVIDER is appended"),
		setting("AI_PROVIDER", "", &c.AIProvider, aiProvider,
			"provider of the language model for the chat of accounts without a key of their own: openai, anthropic, gemini or openrouter; "+
				"needs AI_KEY; give both settings to web processes and workers"),
		setting("AI_KEY", "", &c.AIKey, text, "API key of AI_PROVIDER, which this install pays for").masked(maskAll),
		setting("AI_MODEL", "", &c.AIModel, text, "model of AI_PROVIDER; empty: the newest of the provider's usual models"),
		setting("AI_URL", "", &c.AIURL, webURL,
			"https address that is called instead of the AI providers, such as a gateway's, without a path, because /PROVIDER is appended"),
		setting("SMTP_URL", "", &c.SMTPURL, smtpURL,
			"mail server that sends alerts, smtp://user:password@host:587 (STARTTLS), smtps://user:password@host:465 (TLS) or "+
				"smtp://host:25?tls=none; empty: alerts are not sent by e-mail").masked(maskURL),
		setting("SMTP_FROM", "", &c.SMTPFrom, email, "sender address of e-mail; required with SMTP_URL"),
		setting("TELEGRAM_URL", "", &c.TelegramURL, webURL, "https address that is called instead of Telegram's Bot API, such as a Bot API server of your own"),
		setting("PRIVACY_IP", string(models.IPFull), &c.PrivacyIP, oneOf(models.IPFull, models.IPTruncated, models.IPNone),
			"what is stored of visitors' addresses: full, truncated (/24, /48) or none; see ops/docs/privacy.md"),
		setting("LOG_LEVEL", "info", &c.LogLevel, level, "debug, info, warn or error"),
	}
}

func signInSettings(c *Config) (rows []row) {
	for _, p := range models.SignInProviders {
		if p.Settings == "" {
			continue
		}
		store := func(field func(app *SignInApp) *string) func(value string) error {
			return func(value string) error {
				if value == "" {
					return nil
				}
				app := c.SignInApps[p.Name]
				*field(&app) = value
				if c.SignInApps == nil {
					c.SignInApps = map[string]SignInApp{}
				}
				c.SignInApps[p.Name] = app
				return nil
			}
		}
		id, secret := p.Settings+"_CLIENT_ID", p.Settings+"_CLIENT_SECRET"
		rows = append(rows,
			row{name: id, read: store(func(app *SignInApp) *string { return &app.ID }), doc: "client id of this install's app at " + p.Label +
				", with BASE_URL/api/oauth/callback as its redirect URI; with " + secret + " accounts can sign in there"},
			row{name: secret, read: store(func(app *SignInApp) *string { return &app.Secret }), doc: "secret of " + id}.masked(maskAll))
	}
	return rows
}

// A wrong value leaves dst unchanged.
func setting[T any](name, fallback string, dst *T, parse func(string) (T, error), doc string) row {
	return row{name: name, fallback: fallback, doc: doc, read: func(value string) error {
		v, err := parse(value)
		if err == nil {
			*dst = v
		}
		return err
	}}
}

func (r row) masked(mask func(string) string) row {
	r.mask = mask
	return r
}
