package models

import "encoding/json"

// CostPreset is a cost endpoint for a platform that has no adapter of its own.
type CostPreset struct {
	Name     string
	Label    string
	Help     string
	Page     string // the document or the client programs from which the preset was taken
	Checked  string // the day on which Page was read, as YYYY-MM-DD
	Endpoint CostEndpoint
}

// CostPresets lists the presets by label.
var CostPresets = []CostPreset{
	{
		Name: "adsterra", Label: "Adsterra", Help: "API token: Account > API > Generate new token. Amounts are taken as US dollars, and days as UTC days.",
		Page: "docs.adsterratools.com/public/v3/partners-api, as quoted by public clients", Checked: "2026-11-26",
		Endpoint: CostEndpoint{
			URL:     "https://api3.adsterratools.com/advertiser/stats.json?start_date={from}&finish_date={to}&group_by[]=campaign",
			Headers: map[string]string{"X-API-Key": "{token}"}, RowsPath: "items", CampaignField: "campaign", SpendField: "spent",
			ClicksField: "clicks", ImpressionsField: "impressions", Currency: "USD", OneDay: true,
		},
	},
	{
		Name: "clickadu", Label: "Clickadu", Help: "API token: API section of the account. The spend counts for the whole source, because the report by zone names no campaign. " +
			"Amounts are taken as US dollars. Clickadu allows 200 requests in an hour.",
		Page: "support.clickadu.com/en/articles/6234891-how-to-set-up-an-api-integration, and public clients", Checked: "2026-11-26",
		Endpoint: CostEndpoint{
			URL: "https://ssp.clickadu.com/v1.0/api/client/statistics/?dateFrom={from}&dateTill={to}&groupBy=zone" +
				"&withTestExpenses=0&limit=100&page={page}",
			Headers: map[string]string{"Authorization": "{token}"}, RowsPath: "result.items", SpendField: "spent", ClicksField: "clicks",
			ImpressionsField: "impressions", Currency: "USD", OneDay: true, PageRows: 100, FirstPage: 1,
		},
	},
	{
		Name: "evadav", Label: "EvaDav", Help: "API key: profile > API. The spend counts for the whole source, because the report by day names no campaign. " +
			"Amounts are taken as US dollars.",
		Page: "public clients", Checked: "2026-11-26",
		Endpoint: CostEndpoint{
			URL: "https://evadavapi.com/api/v2.2/advertiser/stats/date", Method: "POST", Headers: map[string]string{"X-Api-Key": "{token}"},
			Body: json.RawMessage(`{"day": "{from}"}`), RowsPath: "data.stat.*", SpendField: "cost", ClicksField: "clicks",
			ImpressionsField: "impressions", Currency: "USD", DateFormat: "DD.MM.YYYY", OneDay: true,
		},
	},
	{
		Name: "rollerads", Label: "RollerAds", Help: "API token: from the account's settings. Amounts are taken as US dollars, and days as UTC days.",
		Page: "my.rollerads.com/api/docs, as used by public clients", Checked: "2026-11-26",
		Endpoint: CostEndpoint{
			URL: "https://api.rollerads.com/v2/statistics/adv?group=campaign&filters[ts]=bw%7C{from}%2000:00:00%3B{to}%2023:59:59" +
				"&limit=100&page={page}",
			Headers: map[string]string{"X-ACCESS-TOKEN": "{token}"}, RowsPath: "response.rows", CampaignField: "campaign_id", SpendField: "amt_imoney",
			ClicksField: "cnt_click", ImpressionsField: "cnt_impression", Currency: "USD", OneDay: true, PageRows: 100, FirstPage: 1,
		},
	},
	{
		Name: "zeropark", Label: "Zeropark", Help: "API token: from the account's settings. Amounts are taken as US dollars.",
		Page: "public clients", Checked: "2026-11-26",
		Endpoint: CostEndpoint{
			URL: "https://panel.zeropark.com/api/stats/campaign/all?interval=CUSTOM&startDate={from}&endDate={to}" +
				"&sortColumn=SPENT&sortOrder=DESC&limit=100&page={page}",
			Headers: map[string]string{"api-token": "{token}"}, RowsPath: "elements", CampaignField: "details.id", SpendField: "stats.spent",
			ClicksField: "stats.redirects", Currency: "USD", DateFormat: "DD/MM/YYYY", OneDay: true, PageRows: 100,
		},
	},
}
