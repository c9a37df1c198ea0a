package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
	"switchyard/models/template"
)

// networks returns the routes of /networks.
func networks(d Deps, reportingDeps reporting.Deps) []route.Route {
	res := resource.Kind[store.Networks, models.Network, NetworkAnswer]{
		Group: "Affiliate networks", Path: "/networks", Table: (*store.Store).Networks,
		Filters: resource.UseFilters,
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range", "402 plan_limit",
			"409 duplicate_name"),
	}
	list := res.Row("GET", "", "affiliate networks; with from or to, each network has its figures for the window",
		route.Handle(d.listNetworks)).
		WithPage().WithShare(route.Lists).WithQuery(res.Params()...).
		WithQuery(route.Param{Name: "from", Doc: "start of the window, UTC: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"}).
		WithQuery(route.Param{Name: "to", Doc: "end of the window, UTC; a bare date means the end of that day"})
	post := res.Row("POST", "", "create an affiliate network, from a template if one is named", route.HandleBody(addNetwork[NetworkCreate](d)),
		res.Codes, route.Codes("400 invalid_template")).Creates()
	post.Echoes = []any{template.Network{}} // the template fills in fields of the body
	return append([]route.Route{
		list, post, reporting.TestPostback(reportingDeps),
		res.Row("PUT", "", "replace an affiliate network", route.HandleBody(d.putNetwork), answer.IDCodes, res.Codes),
		res.Row("PATCH", "", "pause or resume an affiliate network, or map its status words; is_active true also restores a deactivated network",
			route.HandleBody(patchNetwork), resource.RestoreCodes, route.Codes("400 invalid_id invalid_status too_long", "404 not_found")),
		resource.RemoveUsed(res, "deactivate an affiliate network", resource.DeactivatedWith),
	}, d.networkTemplateFiles(res)...)
}

// listNetworks lists networks. It adds figures only if the call has from or to.
func (d Deps) listNetworks(c *route.Call) (NetworkRows, error) {
	page, err := resource.PageOf(c)
	if err != nil {
		return NetworkRows{}, err
	}
	records, next, err := c.Store.Networks().List(c.Context(), c.Account.ID, page)
	if err != nil {
		return NetworkRows{}, err
	}
	var figures map[uuid.UUID]answer.Figures
	if bind.HasWindow(c.Query) {
		figures, err = resource.FiguresOf(c, d.Reports, "network_id", records)
	}
	if err != nil {
		return NetworkRows{}, err
	}
	words, err := c.Store.Networks().UnknownWords(c.Context(), c.Account.ID, records)
	if err != nil {
		return NetworkRows{}, err
	}
	shown, err := d.networkAnswers(c, records)
	return NetworkRows{answer.Each(shown, func(n NetworkAnswer) NetworkRow {
		row := NetworkRow{NetworkAnswer: n, UnknownWords: append([]models.StatusWord{}, words[n.ID]...)}
		if f, ok := figures[n.ID]; ok {
			row.Figures = &f
		}
		return row
	}), answer.Cursor(next)}, err
}

// NetworkPut is the body of PUT /networks. It replaces every field except a secret that is left out or blank.
type NetworkPut struct {
	bind.ID
	form.NetworkBody
	Name string `json:"name" required:"true" trim:"true" maxLength:"255"`
}

// NetworkAnswer is a saved network with its addresses.
type NetworkAnswer struct {
	models.Network
	OfferType      string `json:"offer_type" doc:"CPA, CPS, CPL, CPC, CPM, or empty"`
	PostbackScheme string `json:"postback_scheme" doc:"the platform whose rules apply to signing and reading the network's notifications; empty: the network sends postbacks with parameters"`
	NetworkURLs
}

// NetworkRow is a network of the list.
type NetworkRow struct {
	NetworkAnswer
	UnknownWords []models.StatusWord `json:"unknown_words" doc:"status words of received postbacks that are not mapped to a status, most frequent first, at most 50. Conversions with such a word are pending. PATCH with status_map maps the words"`
	*answer.Figures
}

// NetworkRows is the answer of the list of networks.
type NetworkRows resource.Listed[NetworkRow]
