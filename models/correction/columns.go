package correction

// Column is a column that a file may have, for a client that fills records from the cells.
type Column struct {
	Name     string `json:"name"` // the documented name
	Required bool   `json:"required"`
}

// Named is a column of a file with the names that a header may have for it: letters and digits only, in lower case.
type Named struct {
	Name  string
	Names []string
}

// Names returns the columns of a kind of file, for the documentation.
func Names(kind Kind) []Named {
	out := make([]Named, 0, len(kinds[kind]))
	for _, c := range kinds[kind] {
		out = append(out, Named{c.name, c.names})
	}
	return out
}

// OfferColumns returns the columns of a file of offers.
func OfferColumns() []Column { return documented(offerColumns) }

// LinkColumns returns the columns of a file of smartlinks.
func LinkColumns() []Column { return documented(linkColumns) }

// Files of offers and of smartlinks are checked and sent row by row by the dashboard. Here are only their columns.
var (
	offerColumns = []column{
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
	linkColumns = []column{
		{"slug", true, []string{"slug", "alias", "path", "short", "shortcode", "keyword", "backhalf"}},
		{"destination_url", true, []string{"destinationurl", "destination", "url", "target", "targeturl", "longurl", "link"}},
		{"domain", false, []string{"domain", "shortdomain", "host"}},
		{"source", false, []string{"source", "trafficsource", "sourcename"}},
		{"name", false, []string{"name", "title", "label"}},
		{"notes", false, []string{"notes", "note", "description", "comment"}},
	}
)

func documented(list []column) []Column {
	out := make([]Column, 0, len(list))
	for _, c := range list {
		out = append(out, Column{c.name, c.required})
	}
	return out
}
