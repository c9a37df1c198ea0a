package models

// DNSProviders are the providers of DNS that an account can connect.
var DNSProviders = []DNSProvider{
	{"cloudflare", "Cloudflare", ApexFlattens, []DNSField{
		secret("api_token", "API token", "My Profile > API Tokens, with the permissions Zone:Read and DNS:Edit"),
	}},
	{"hetzner", "Hetzner Cloud DNS", ApexAddress, []DNSField{
		secret("api_token", "API token", "Cloud Console > project > Security > API tokens, read and write"),
	}},
	{"digitalocean", "DigitalOcean", ApexAddress, []DNSField{
		secret("api_token", "API token", "API > Personal access tokens, with the scopes domain:read and domain:create"),
	}},
	{"porkbun", "Porkbun", ApexAlias, []DNSField{
		secret("api_key", "API key", "Account > API access; API access must be switched on for each domain"),
		secret("secret_api_key", "Secret API key", "shown once, with the API key"),
	}},
	{"bunny", "bunny.net", ApexFlattens, []DNSField{
		secret("access_key", "Access key", "Account settings > API key"),
	}},
	{"desec", "deSEC", ApexAddress, []DNSField{
		secret("token", "Token", "Token management > create a token; it needs no right to manage tokens"),
	}},
	{"linode", "Linode (Akamai)", ApexAddress, []DNSField{
		secret("api_token", "Personal access token", "My Profile > API Tokens, with read/write for Domains"),
	}},
	{"vultr", "Vultr", ApexAddress, []DNSField{
		secret("api_key", "API key", "Account > API; the addresses of this install's workers must be allowed there"),
	}},
	{"dnsimple", "DNSimple", ApexAlias, []DNSField{
		secret("api_token", "API token", "Account > Access tokens: an account token"),
		{Name: "account_id", Label: "Account id", Help: "the number in the address of the account; empty: the token's account"},
	}},
	{"godaddy", "GoDaddy", ApexAddress, []DNSField{
		secret("api_key", "API key", "developer.godaddy.com > API keys, for production"),
		secret("api_secret", "API secret", "shown once, with the key"),
	}},
	{"gandi", "Gandi LiveDNS", ApexAlias, []DNSField{
		secret("api_token", "Personal access token", "Organization > Sharing, with the right to manage domains' technical configuration"),
	}},
	{"netlify", "Netlify DNS", ApexAlias, []DNSField{
		secret("api_token", "Personal access token", "User settings > Applications > Personal access tokens"),
	}},
	{"powerdns", "PowerDNS", ApexAddress, []DNSField{
		{Name: "url", Label: "Address", Required: true, Address: true, Help: "https address of the server's API, without /api/v1"},
		secret("api_key", "API key", "the setting api-key of the server"),
		{Name: "server_id", Label: "Server id", Default: "localhost", Help: "of the server behind the API"},
	}},
	{"namecheap", "Namecheap", ApexAlias, []DNSField{
		{Name: "api_user", Label: "User name", Required: true, Help: "of the account"},
		secret("api_key", "API key", "Profile > Tools > API access"),
		{Name: "client_ip", Label: "Address", Required: true, Help: "IPv4 address of this install's workers, as it is allowed at Namecheap"},
	}},
	{"ovh", "OVHcloud", ApexAddress, []DNSField{
		{
			Name: "endpoint", Label: "Endpoint", Default: "ovh-eu", Address: true, Help: "where the account is",
			Values: []string{"ovh-eu", "ovh-ca", "ovh-us"},
		},
		{Name: "application_key", Label: "Application key", Required: true, Help: "of an application made at the endpoint's createApp"},
		secret("application_secret", "Application secret", "shown with the application key"),
		secret("consumer_key", "Consumer key", "with GET, POST and PUT on /domain/zone and /domain/zone/*"),
	}},
	{"route53", "Amazon Route 53", ApexAddress, []DNSField{
		{Name: "access_key_id", Label: "Access key id", Required: true, Help: "of an IAM user for this alone"},
		secret("secret_access_key", "Secret access key", "with route53:ListHostedZones, ListResourceRecordSets and ChangeResourceRecordSets"),
	}},
	{"googleclouddns", "Google Cloud DNS", ApexAddress, []DNSField{
		secret("service_account", "Service account key", "the JSON file of a key of a service account with the role DNS Administrator"),
		{Name: "project_id", Label: "Project", Help: "that has the zones; empty: the service account's own"},
	}},
	{"azure", "Azure DNS", ApexAddress, []DNSField{
		{Name: "subscription_id", Label: "Subscription id", Required: true, Help: "of the zones"},
		{Name: "tenant_id", Label: "Tenant id", Required: true, Help: "directory of the app registration"},
		{Name: "client_id", Label: "Client id", Required: true, Help: "of an app registration with the role DNS Zone Contributor"},
		secret("client_secret", "Client secret", "of the app registration"),
	}},
	{"rfc2136", "DNS server with dynamic updates (RFC 2136)", ApexAddress, []DNSField{
		{Name: "server", Label: "Server", Required: true, Address: true, Help: "host or host:port of the primary server"},
		{Name: "zones", Label: "Zones", Required: true, Help: "the zones that the key may change, separated by commas"},
		{Name: "key_name", Label: "Key name", Required: true, Help: "name of the TSIG key"},
		{
			Name: "key_algorithm", Label: "Key algorithm", Default: "hmac-sha256", Help: "of the TSIG key",
			Values: []string{"hmac-sha256", "hmac-sha512", "hmac-sha384", "hmac-sha224", "hmac-sha1"},
		},
		secret("key", "Key", "the TSIG key, in base64"),
	}},
}

func secret(name, label, help string) DNSField {
	return DNSField{Name: name, Label: label, Secret: true, Required: true, Help: help}
}
