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

// botLists returns the routes of /bot-lists.
func botLists() []route.Route {
	res := resource.Kind[store.BotEntries, models.BotEntry, BotEntryAnswer]{
		Group: "Bot protection", Path: "/bot-lists", Table: (*store.Store).BotEntries, Answer: botEntryAnswer, BodyLimit: route.CSVBody,
		Codes: route.Codes("400 invalid_list_type invalid_attribute invalid_operator value_required invalid_regex invalid_campaign "+
			"too_long",
			"402 plan_limit"),
	}
	return []route.Route{
		res.Row("GET", "", "the allow and deny lists, and how many clicks the deny lists marked as bots", route.Handle(listBotEntries)).WithWindow().WithPage(),
		resource.Create[form.BotEntryBody](res, "add an entry to the allow or deny list"),
		resource.Remove(res, "delete an entry of a bot list", answer.Deleted),
	}
}

// propagationSeconds is the maximum time until every web process knows a change.
const propagationSeconds = 1

const publicBotValues = 100

// BotEntryAnswer is an entry of a bot list.
type BotEntryAnswer struct {
	models.BotEntry
	Value any `json:"value" is:"texts" doc:"the values in the form in which they are compared: a single value, or a list of the first 100"`
}

func botEntryAnswer(e models.BotEntry) BotEntryAnswer {
	a := BotEntryAnswer{BotEntry: e, Value: e.Value[:min(len(e.Value), publicBotValues)]}
	if len(e.Value) == 1 {
		a.Value = e.Value[0]
	}
	return a
}

// BotEntryRow is an entry of GET /bot-lists.
type BotEntryRow struct {
	BotEntryAnswer
	Blocked int64 `json:"blocked" doc:"clicks that the entry marked as bots, in the hours of the window"`
}

// BotEntryList is the answer of GET /bot-lists.
type BotEntryList struct {
	Range              bind.Range    `json:"range"`
	PropagationSeconds int           `json:"propagationSeconds" doc:"the longest time until a change applies to every click"`
	Blocked            int64         `json:"blocked" doc:"clicks that entries of the deny list marked as bots, in the hours of the window; deleted entries count too"`
	Rows               []BotEntryRow `json:"rows"`
	NextCursor         *string       `json:"next_cursor" doc:"null at the end"`
}

func listBotEntries(c *route.Call) (BotEntryList, error) {
	entries, next, err := c.Store.BotEntries().List(c.Context(), c.Account.ID, c.Page)
	if err != nil {
		return BotEntryList{}, err
	}
	blocked, err := c.Store.BotEntries().Blocked(c.Context(), c.Account.ID, models.TimeRange{From: c.Window.From, To: c.Window.End()})
	out := BotEntryList{Range: c.Window.Range(), PropagationSeconds: propagationSeconds, NextCursor: answer.Cursor(next)}
	out.Rows = answer.Each(entries, func(e models.BotEntry) BotEntryRow { return BotEntryRow{botEntryAnswer(e), blocked[e.ID]} })
	for _, n := range blocked {
		out.Blocked += n
	}
	return out, err
}
