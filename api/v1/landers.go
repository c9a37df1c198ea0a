package v1

import (
	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// landers returns the routes of /landers.
func landers(d Deps) []route.Route {
	res := resource.Kind[store.Landers, models.Lander, LanderAnswer]{
		Group: "Landing pages", Path: "/landers", Table: (*store.Store).Landers, Answer: landerAnswer,
		Filters: resource.UseFilters,
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_country",
			"409 duplicate_name"),
	}
	patch := res.Row("PATCH", "", "pause or resume a landing page, or change its protection", route.HandleBody(patchLander),
		route.Codes("400 invalid_fallback"), answer.IDCodes, resource.RestoreCodes)
	patch.Body = LanderPatch{}
	return append(replacing(res, "a landing page", "lander_id", (*store.Store).LanderDestinations), []route.Route{
		resource.ListFigures(d.Reports, res, "landing pages with figures for the window", "lander_id", landerRows),
		resource.Create[form.LanderBody](res, "create a landing page"),
		resource.Put[LanderPut](res, "replace a landing page", resource.IDOf),
		patch,
		resource.RemoveUsed(res, "deactivate a landing page; flows that use it then skip it", resource.DeactivatedWith),
		resource.Clone(res, "copy a landing page", landerAnswer),
		bulkLabels(res, "landing pages", labelledLanders),
	}...)
}

// LanderPut is the body of PUT /landers. It replaces every field except the protection and the status.
type LanderPut struct {
	bind.ID
	form.LanderBody
}

// LanderAnswer is a saved landing page.
type LanderAnswer struct{ models.Lander }

func landerAnswer(l models.Lander) LanderAnswer { return LanderAnswer{l} }

// LanderRow is a landing page of the list, with figures.
type LanderRow struct {
	models.Lander
	answer.Figures
	LastCheck *LastCheck `json:"last_check" doc:"the last check of its current URL; null: the URL has not been checked yet"`
}

func landerRows(c *route.Call, page []models.Lander) (func(models.Lander, answer.Figures) LanderRow, error) {
	checks, err := lastChecks(c, models.LinkLander, page)
	return func(l models.Lander, f answer.Figures) LanderRow { return LanderRow{l, f, checks(l.ID)} }, err
}
