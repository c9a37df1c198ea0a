package visitor

// botMarks are searched for in the lower-cased user agent. ^ means at its beginning. The first hit decides, so the names of
// programs come before the general words at the end. General words are also parts of the names of devices, such as Highscreen
// Spider, M_bot_tab_71 and Expanse. They do not count in the name of a device: see withoutDevice.
var botMarks = []struct {
	kind    kind
	general bool
	marks   []string
}{
	{aiCrawler, false, []string{
		"gptbot", "chatgpt-user", "oai-searchbot", "claudebot", "claude-user", "claude-searchbot", "claude-web",
		"anthropic-ai", "perplexitybot", "perplexity-user", "meta-externalagent", "meta-externalfetcher", "ccbot/",
		"bytespider", "amazonbot", "google-extended", "applebot-extended", "cohere-ai", "diffbot",
		"mistralai-user", "youbot", "ai2bot", "duckassistbot", "timpibot", "omgili", "imagesiftbot", "pangubot",
		"googleother", "google-cloudvertexbot", "deepseekbot", "facebookbot",
	}},
	{linkPreview, false, []string{
		"facebookexternalhit", "facebookcatalog", "^whatsapp/", "slackbot", "slack-imgproxy", "twitterbot",
		"discordbot", "skypeuripreview", "telegrambot", "linkedinbot", "pinterestbot", "pinterest/0.", "redditbot",
		"vkshare", "^viber", "iframely", "embedly", "bitlybot", "google-pagerenderer", "mattermost-bot",
		"bluesky cardyb", "mastodon/", "microsoftpreview", "bingpreview", "snap url preview", "kakaotalk-scrap",
		"outbrain/", "zoombot", "notionembedder", "opengraph",
	}},
	{headless, false, []string{
		"headlesschrome", "phantomjs", "slimerjs", "puppeteer", "playwright", "selenium", "electron-headless",
		"splash ", "htmlunit", "zombie.js", "cypress/",
	}},
	{crawler, false, []string{
		"googlebot", "adsbot-google", "mediapartners-google", "feedfetcher", "google-inspectiontool",
		"google-read-aloud", "storebot-google", "google-site-verification", "googleimageproxy", "apis-google",
		"google favicon", "google-adwords", "chrome-lighthouse", "bingbot", "adidxbot", "msnbot",
		"yandex.com/bots", "slurp", "duckduckgo-favicons", "applebot", "ia_archiver", "archive.org", "gtmetrix",
		"pingdom", "uptimerobot", "statuscake", "site24x7", "newrelicpinger", "datadogsynthetics",
		"datadog/synthetics", "w3c_validator", "nutch", "heritrix", "netcraft", "censys", "shodan", "zgrab",
		"masscan", "nmap scripting", "nikto", "sqlmap", "internetmeasurement", "virustotal",
		"proofpoint", "barracuda", "adbeat", "geoedge", "peer39", "^ias-", "grapeshot", "screaming frog",
		"wordpress/", "wordpress.com", "cloudflare-alwaysonline", "better uptime", "checkmarknetwork", "ioncrawl",
		"yahoomailproxy", "wpscan", "semrush", "ahrefs", "newrelicsynthetics", "datadog synthetic",
		"datadog agent", "blackbox exporter",
	}},
	{httpLibrary, false, []string{
		"^curl/", "^wget/", "python-requests", "python-urllib", "python-httpx", "^python/", "aiohttp",
		"go-http-client", "^okhttp", "node-fetch", "undici", "^axios/", "^got ", "^got/", "(sindresorhus/got)",
		"^node", "^deno/", "^bun/", "^java/", "java-http-client", "apache-httpclient", "apache-httpasyncclient",
		"jakarta commons", "^ruby", "faraday", "^httparty", "typhoeus", "rest-client", "libwww-perl", "lwp::",
		"^lwp-", "guzzlehttp", "^php/", "symfony httpclient", "reqwest", "^ureq", "^hyper/", "^dart/", "dart:io",
		"postmanruntime", "insomnia", "httpie", "^restsharp", "scrapy", "colly", "mechanize", "libcurl", "winhttp",
		"powershell", "^alamofire", "^cfnetwork", "^fasthttp", "^resty", "go-resty", "^superagent", "unirest",
		"^wrk", "apachebench", "^hey/", "^k6/", "^vegeta", "jmeter", "^http.rb", "urllib3", "pycurl",
		"http_request2", "asynchttpclient", "^ktor", "reactornetty", "^cpp-httplib", "nodejs", "^tornado/", "^axel/",
	}},
	{crawler, true, []string{
		"bot/", "bot;", "bot)", "-bot", "_bot", "robot", "crawler", "spider", "crawl", "scraper", "+http",
		"fetcher", "compatible; bot", "monitoring", "nuclei", "expanse",
	}},
}
