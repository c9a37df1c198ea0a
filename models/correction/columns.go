package correction

// Column is a column of a file. If a header has several of its names, the first one in Names with a cell that is not empty counts.
type Column struct {
	Name     string   `json:"name"` // the documented name
	Required bool     `json:"required"`
	Names    []string `json:"-"` // the names in the form that fold returns: only letters and digits, in lower case
}

// Columns returns the columns of a kind of file. The caller must not change them.
func Columns(kind Kind) []Column { return kinds[kind] }

// The columns of files with offers and smartlinks, which the dashboard checks and sends row by row.
var (
	offerColumns = []Column{
		{"name", true, []string{"name", "offer", "offername", "title"}},
		{"url", true, []string{
			"url", "offerurl", "link", "destination", "destinationurl", "targeturl", "trackinglink", "trackingurl",
		}},
		{"network", false, []string{"network", "affiliatenetwork", "networkname", "advertiser"}},
		{"payout", false, []string{"payout", "revenue", "amount", "rate", "commission", "price"}},
		{"payout_type", false, []string{"payouttype", "type"}},
		{"currency", false, []string{"currency", "payoutcurrency", "cur"}},
		{"country", false, []string{"country", "geo", "countrycode"}},
		{"daily_cap", false, []string{"dailycap", "cap"}},
		{"group", false, []string{"group", "groupname", "category", "vertical"}},
		{"tags", false, []string{"tags", "tag", "labels"}},
		{"notes", false, []string{"notes", "note", "description", "comment"}},
	}
	linkColumns = []Column{
		{"slug", true, []string{"slug", "alias", "path", "short", "shortcode", "keyword", "backhalf"}},
		{"destination_url", true, []string{"destinationurl", "destination", "url", "target", "targeturl", "longurl", "link"}},
		{"domain", false, []string{"domain", "shortdomain", "host"}},
		{"source", false, []string{"source", "trafficsource", "sourcename"}},
		{"name", false, []string{"name", "title", "label"}},
		{"notes", false, []string{"notes", "note", "description", "comment"}},
	}
)
