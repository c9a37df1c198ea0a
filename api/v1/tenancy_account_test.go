package v1_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// env is an account with records of many kinds. ids has the ids of the records by kind.
type env struct {
	*apitest.Server
	ids map[string]string
}

func newEnv(t *testing.T, s *apitest.Server) env {
	t.Helper()
	account, key, _ := s.NewAccount("scale")
	e := env{s.In(t).As(key), map[string]string{}}
	e.Account = account
	name := "n-" + account.ID.String()[24:]
	e.make("network", "/networks", object{"name": name})
	e.make("source", "/traffic-sources", object{"name": name})
	e.make("lander", "/landers", object{"name": name, "url": "https://l.test"})
	e.make("offer", "/offers", object{"name": name, "url": "https://o.test", "network_id": e.ids["network"]})
	e.make("rule", "/rules", object{"name": name, "conditions": []object{germans}})
	e.make("flow", "/flows", object{"name": name, "paths": []object{e.path()}})
	e.make("template", "/network-templates", object{"name": name, "url": "https://n.test"})
	e.ids["domain"] = uuid.NewString()
	dbtest.Exec(t, e.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`,
		e.ids["domain"], account.ID, name+".test")
	e.ids["dns account"] = e.Do("PUT", "/integrations", rfc2136(nil)).Want(http.StatusOK, "").Map()["id"].(string)
	e.ids["connection"] = signedIn(t, s, account.ID, models.GoogleAds, name).ID.String()
	e.make("alert channel", "/alerts/channels", channel("slack", object{"url": "https://hooks.slack.com/x"}))
	e.make("campaign", "/campaigns", e.campaign(name))
	e.make("smartlink", "/short-links", e.smartlink(name))
	e.makeSite(name)
	e.make("bot entry", "/bot-lists", botEntry("sub1", "equals", name))
	e.block(name)
	e.make("webhook", "/webhooks", object{"url": "https://hooks.example.com/x", "events": []string{"campaign.paused"}})
	e.Do("PATCH", "/campaigns/"+e.ids["campaign"], object{"status": "paused"}).Want(200, "")
	var log struct{ Rows []struct{ ID string } }
	e.Do("GET", "/webhooks/deliveries", nil).Want(200, "").Into(&log)
	e.ids["delivery"] = log.Rows[0].ID
	var flow struct{ Streams []struct{ ID string } }
	e.Do("GET", "/campaigns/"+e.ids["campaign"]+"/flow", nil).Want(200, "").Into(&flow)
	e.ids["stream"] = flow.Streams[0].ID
	e.make("copilot rule", "/copilot/rules", with(copilotRule(), "campaign_ids", []string{e.ids["campaign"]}))
	e.ids["plan"] = addPlan(t, s, account.ID, "applied", "{}")
	e.ids["suggestion"] = suggest(t, e.Server, "k-"+name).String()
	return e
}

// people adds records by calls of the dashboard, and returns a session of the account's owner.
func (e env) people() *apitest.Server {
	p := e.SignIn(models.RoleOwner)
	made := func(kind, path string, body object) {
		var made struct{ ID string }
		p.Do("POST", "/app/api"+path, body).Want(http.StatusOK, "").Into(&made)
		e.ids[kind] = made.ID
	}
	made("note", "/notes", object{"at": "2026-11-01 00:00:00", "text": "x"})
	made("view", "/views", object{"name": "x", "report": object{"group": []string{"country"}}})
	p.Do("POST", "/app/api/team", object{"email": uuid.NewString() + "@example.com", "role": "viewer"}).Want(http.StatusOK, "")
	return p
}

// oneID gives the same id to all records of the account.
func (e env) oneID(t *testing.T) uuid.UUID {
	t.Helper()
	for kind, query := range map[string]string{
		"person":     `SELECT user_id FROM memberships WHERE account_id = $1`,
		"session":    `SELECT id FROM sessions WHERE account_id = $1`,
		"invitation": `SELECT id FROM entry_links WHERE account_id = $1 AND kind = 'invite'`,
		"key":        `SELECT id FROM api_keys WHERE account_id = $1 LIMIT 1`,
	} {
		var found string
		if err := e.DB.GetContext(t.Context(), &found, query, e.Account.ID); err != nil {
			t.Fatal(kind, err)
		}
		e.ids[kind] = found
	}
	id := uuid.Must(uuid.NewV7())
	dbtest.OneID(t, e.DB, slices.Collect(maps.Values(e.ids)), id)
	return id
}

type object = map[string]any

var germans = object{"attribute": "country", "operator": "equals", "value": "DE"}

func (e env) make(kind, path string, body object) {
	var made struct {
		ID   string
		Rows []struct{ ID string }
	}
	a := e.Do("POST", path, body)
	if a.Want(http.StatusCreated, "").Into(&made); made.ID == "" {
		made.ID = made.Rows[0].ID
	}
	e.ids[kind] = made.ID
}

func (e env) makeSite(name string) {
	var made struct{ Site struct{ ID string } }
	e.Do("POST", "/sites", object{"name": name, "seedGoals": true}).Want(http.StatusOK, "").Into(&made)
	e.ids["site"] = made.Site.ID
}

func (e env) block(value string) {
	var list struct{ Rows []models.BlockedValue }
	e.Do("POST", "/blocks", block(e.ids["campaign"], value)).Want(http.StatusOK, "")
	e.Do("GET", "/blocks", nil).Want(http.StatusOK, "").Into(&list)
	e.ids["blocked value"], e.ids["block list"] = list.Rows[0].ID.String(), list.Rows[0].ListID.String()
}

func (e env) path() object {
	return object{
		"action": "lander", "destinations": []object{{"id": e.ids["lander"]}, {"id": e.ids["offer"]}},
		"rules": []object{{"name": "r", "rule_id": e.ids["rule"]}},
	}
}

func (e env) campaign(name string) object {
	return object{
		"name": name, "alias": "alias-" + name, "domain_id": e.ids["domain"], "source_id": e.ids["source"],
		"streams": []object{e.path()},
	}
}

func (e env) smartlink(name string) object {
	return object{
		"slug": "s-" + name, "name": name, "destination_url": "https://d.test", "domain_id": e.ids["domain"],
		"rules": []object{{"url": "https://r.test", "conditions": []object{germans}}},
	}
}

// bodies returns request bodies by operation.
func (e env) bodies() map[string]object {
	campaign := e.campaign("x")
	delete(campaign, "streams")
	offer := object{"name": "x", "url": "https://o.test"}
	flow := object{"name": "x", "paths": []object{e.path()}}
	rule := object{"name": "x", "notes": "", "logic": "and", "conditions": []object{germans}}
	toggle, note := object{"is_active": false}, object{"at": "2026-11-01 00:00:00", "text": "y"}
	of := func(kind string, body object) object { return with(maps.Clone(body), "id", e.ids[kind]) }
	return map[string]object{
		"POST /corrections/cost/set": {
			"campaign_id": e.ids["campaign"], "source_id": e.ids["source"], "from": time.Now().UTC().Format(time.DateOnly),
			"to": time.Now().UTC().Format(time.DateOnly), "amount": 1, "cpc": nil,
		},
		"POST /config/plan": {"document": "version: 1", "read": object{"tracker": "keitaro", "links": []object{
			{"domain": "", "form": "path", "id": e.ids["campaign"], "campaign": "x"},
		}}},
		"POST /config/apply": {"plan_id": e.ids["plan"]}, "POST /config/undo": {"plan_id": e.ids["plan"]},
		"POST /app/api/notes": note, "PUT /app/api/notes/{id}": note,
		"PATCH /app/api/views/{id}": {"name": "y"}, "PUT /app/api/views/default": {}, "PATCH /app/api/team/{id}": {"role": "viewer"},
		"POST /app/api/session/account": {},
		"POST /copilot/rules":           copilotRule(), "POST /copilot/rules/replay": copilotRule(), "DELETE /reports/orphaned": {},
		"POST /campaigns": campaign, "PATCH /campaigns/{id}": {"notes": "x"},
		"PUT /campaigns/{id}/flow": {"streams": []object{e.path()}},
		"PATCH /campaigns/{id}/flow": {"path_id": e.ids["stream"], "weight": 1, "destinations": []object{
			{"id": e.ids["offer"], "weight": 1},
		}},
		"POST /campaigns/bulk": {"ids": []string{e.ids["campaign"]}, "notes": "x"}, "POST /offers/bulk": {"ids": []string{e.ids["offer"]}, "status": "paused"},
		"POST /landers/bulk":        {"ids": []string{e.ids["lander"]}, "status": "paused"},
		"POST /offers/{id}/replace": {"with": e.ids["offer"]}, "POST /landers/{id}/replace": {"with": e.ids["lander"]},
		"POST /flows": flow, "PUT /flows": of("flow", flow), "PATCH /flows": of("flow", toggle),
		"POST /rules": rule, "PUT /rules": of("rule", rule),
		"POST /offers": offer, "PUT /offers": of("offer", offer), "PATCH /offers": of("offer", toggle),
		"PUT /landers": of("lander", offer), "PATCH /landers": of("lander", toggle),
		"PUT /traffic-sources": of("source", object{"name": "x"}), "PATCH /traffic-sources": of("source", toggle),
		"POST /traffic-sources/{id}/integration": {},
		"PUT /traffic-sources/{id}/integration":  {"provider": "tiktok", "credentials": object{"access_token": "k"}},
		"PUT /networks/{id}/integration":         {"provider": "everflow", "credentials": object{"api_key": "k"}},
		"POST /networks/{id}/integration/sync":   {"from": "2026-11-01", "to": "2026-11-02"},
		"PUT /networks":                          of("network", object{"name": "x"}), "PATCH /networks": of("network", toggle),
		"POST /short-links": e.smartlink("x"), "PUT /short-links": of("smartlink", e.smartlink("x")),
		"PATCH /short-links": of("smartlink", toggle), "PATCH /domains": of("domain", object{"is_default": true}),
		"POST /domains":     {"domain": "dns.test"},
		"PUT /integrations": of("dns account", rfc2136(nil)), "POST /integrations/test": of("dns account", object{}),
		"PUT /goals": {"key": "signup", "siteId": e.ids["site"]}, "PUT /sites": of("site", object{"name": "x"}),
		"POST /bot-lists": with(botEntry("sub1", "equals", "x"), "campaign_id", e.ids["campaign"]),
		"POST /blocks":    block(e.ids["campaign"], "x"), "POST /blocks/preview": block(e.ids["campaign"], "x"),
		"POST /blocks/remove": block(e.ids["campaign"], "x"), "POST /blocks/undo": {},
		"PATCH /alerts/channels":        of("alert channel", object{"name": "x"}),
		"POST /alerts/channels/test":    of("alert channel", object{}),
		"POST /alerts/channels/confirm": of("alert channel", object{"code": "1"}),
		"PATCH /webhooks":               of("webhook", object{"name": "x"}), "POST /webhooks/test": of("webhook", object{}),
		"POST /webhooks/rotate":                      of("webhook", object{}),
		"POST /webhooks/deliveries/redeliver-failed": {"webhook": e.ids["webhook"]},
		"POST /logs/postbacks/replay":                {"network": e.ids["network"]},
		"POST /logs/postbacks/redeliver-failed":      {"source": e.ids["source"]},
		"POST /webhooks/deliveries/redeliver":        of("delivery", object{}),
		"PATCH /copilot/rules":                       of("copilot rule", object{"name": "x"}),
		"POST /copilot":                              of("suggestion", object{"action": "snooze"}),
		"POST /copilot/proposals":                    {"reason": "x", "action": object{"op": "pause_campaign", "campaign_id": e.ids["campaign"]}},
		"POST /notes":                                note,
		"POST /tools/check-links":                    {"offer_id": e.ids["offer"]},
		"POST /tools/simulate":                       {"visitor": object{}},
		"POST /campaigns/{id}/test-click":            {},
		"POST /networks/{id}/test-postback":          {},
		"POST /traffic-sources/{id}/test-postback":   {},
		"POST /reports/exports":                      {"kind": "smartlink-clicks"},
	}
}

// inside returns, by operation, bodies that have the given id in a nested object.
func (e env) inside(id string) map[string][]object {
	paths := func(change func(path, first object)) []object {
		p, to := e.path(), object{"id": e.ids["lander"]}
		p["destinations"] = []object{to, {"id": e.ids["offer"]}}
		change(p, to)
		return []object{p}
	}
	flows := [][]object{
		paths(func(_, to object) { to["id"] = id }),
		paths(func(p, _ object) { p["rules"] = []object{{"name": "r", "rule_id": id}} }),
		paths(func(p, _ object) { p["action"], p["campaign_id"] = "campaign", id; delete(p, "destinations") }),
	}
	out := map[string][]object{
		"POST /copilot/proposals": {{"reason": "x", "action": object{"op": "pause_campaign", "campaign_id": id}}},
	}
	for _, paths := range flows {
		campaign := with(e.campaign("y"), "streams", paths)
		out["POST /campaigns"] = append(out["POST /campaigns"], campaign)
		out["PUT /campaigns/{id}/flow"] = append(out["PUT /campaigns/{id}/flow"], object{"streams": paths})
		out["POST /flows"] = append(out["POST /flows"], object{"name": "y", "paths": paths})
		out["PUT /flows"] = append(out["PUT /flows"], object{"id": e.ids["flow"], "name": "y", "paths": paths})
		out["POST /tools/simulate"] = append(out["POST /tools/simulate"], object{"visitor": object{}, "streams": paths})
		out["POST /campaigns/{id}/flow/replay"] = append(out["POST /campaigns/{id}/flow/replay"], object{"streams": paths})
	}
	return out
}
