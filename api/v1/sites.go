package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/form"
)

const goalsGroup = "Goals and sites"

// sites returns the routes of /sites.
func sites() []route.Route {
	row := func(method, path, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, "/sites"+path, goalsGroup, summary, handle, route.Codes(codes...))
	}
	replace := row("PUT", "", "replace the settings of a site", route.HandleBody(replaceSite), "400 no_id invalid", "404 not_found",
		"409 duplicate_name")
	replace.Version = resource.Kind[store.Sites, models.Site, models.Site]{Table: (*store.Store).Sites}.Version()
	return []route.Route{
		row("GET", "", "the sites of the account, oldest first", route.Handle(listSites)),
		row("POST", "", "add a site", route.HandleBody(createSite), "400 invalid", "402 plan_limit", "409 duplicate_name"),
		replace,
		row("DELETE", "", "delete a site with its goals", route.Handle(removeSite), "400 no_id").WithQuery(answer.QueryID...),
		row("POST", "/lead", "the account's lead site, which is created if it does not exist", route.Handle(leadSite), "402 plan_limit"),
	}
}

// SiteList is the answer of GET /sites.
type SiteList struct {
	Sites []models.Site `json:"sites" doc:"oldest first; a call that names no site uses the first active site"`
}

// SiteAnswer is a site.
type SiteAnswer struct {
	Site models.Site `json:"site"`
}

// SiteBody is the body of POST /sites.
type SiteBody struct {
	form.SiteFields
	SeedGoals bool `json:"seedGoals" doc:"whether to add the goals that most sites of this kind have"`
}

// SitePut is the body of PUT /sites. A field that is left out gets its default, except isActive, which keeps its value.
type SitePut struct {
	ID uuid.UUID `json:"id" bad:"no_id" required:"no_id" doc:"the site's id"`
	form.SiteFields
}

func listSites(c *route.Call) (SiteList, error) {
	list, err := c.Store.Sites().List(c.Context(), c.Account.ID)
	return SiteList{append([]models.Site{}, list...)}, err
}

func createSite(c *route.Call, b SiteBody) (SiteAnswer, error) {
	s, err := b.Record()
	s.SetOwner(c.Account.ID, uuid.Nil)
	if err != nil {
		return SiteAnswer{}, err
	}
	s, err = c.Store.Sites().Create(c.Context(), s, b.SeedGoals)
	return SiteAnswer{s}, siteNameTaken(err)
}

func replaceSite(c *route.Call, b SitePut) (SiteAnswer, error) {
	s, err := b.Record()
	s.SetOwner(c.Account.ID, b.ID)
	if err != nil {
		return SiteAnswer{}, err
	}
	s, err = c.Store.Sites().Update(c.Context(), s, b.IsActive.Sent())
	return SiteAnswer{s}, siteNameTaken(err)
}

// siteNameTaken changes the message of duplicate_name: names need to be unique only among sites of the same kind.
func siteNameTaken(err error) error {
	if e, ok := models.AsError(err); ok && e.Code == "duplicate_name" {
		return models.Conflict("duplicate_name", "another site of this kind has this name")
	}
	return err
}

// SiteDeleted is the answer of DELETE /sites.
type SiteDeleted struct {
	Deleted   bool  `json:"deleted" doc:"false: there was no such site"`
	Campaigns int64 `json:"campaigns" doc:"number of campaigns that used this site for measurement; their measurement_site_id is now empty"`
}

func removeSite(c *route.Call) (out SiteDeleted, err error) {
	out.Campaigns, out.Deleted, err = c.Store.Sites().Remove(c.Context(), c.Account.ID, c.ID)
	return out, err
}

func leadSite(c *route.Call) (SiteAnswer, error) {
	s, err := c.Store.Sites().Lead(c.Context(), c.Account)
	return SiteAnswer{s}, err
}
