package oauthtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest/resttest"
)

// action is a conversion action of Google or an offline goal of Microsoft.
type action struct{ id, name, currency string }

// Actions returns the names of the actions that were created at a platform.
func (p *Platforms) Actions(provider string) (names []string) {
	p.change(func() {
		for _, a := range p.actions[provider] {
			names = append(names, a.name)
		}
	})
	return names
}

// SetManager makes a manager account own the actions of all customers at Google, as if it tracked their conversions.
func (p *Platforms) SetManager(id string) { p.change(func() { p.manager = id }) }

func (p *Platforms) owner(customer string) (name string) {
	p.change(func() { name = "customers/" + cmp.Or(p.manager, customer) })
	return name
}

// create creates an action. ok is false if an action of that name exists.
func (p *Platforms) create(provider, name, currency string) (id string, ok bool) {
	p.change(func() {
		for _, a := range p.actions[provider] {
			if a.name == name {
				return
			}
		}
		p.issuedSecrets++
		id, ok = strconv.Itoa(987654000+p.issuedSecrets), true
		p.actions[provider] = append(p.actions[provider], action{id, name, currency})
	})
	return id, ok
}

// Currency returns the currency of an action at a platform.
func (p *Platforms) Currency(provider, id string) string {
	for _, a := range p.actionsOf(provider) {
		if a.id == id {
			return a.currency
		}
	}
	return ""
}

func (p *Platforms) actionsOf(provider string) (list []action) {
	p.change(func() { list = append(list, p.actions[provider]...) })
	return list
}

// googleActions answers requests about the actions of a customer. ok is false for other requests.
func (p *Platforms) googleActions(rw http.ResponseWriter, r *http.Request, call string, fail func(int, string, string)) (ok bool) {
	var customer, verb string
	if n, _ := fmt.Sscanf(strings.ReplaceAll(strings.TrimPrefix(call, "customers/"), "/", " "), "%s %s", &customer, &verb); n != 2 {
		return false
	}
	var body struct {
		Query      string
		Operations []struct {
			Create struct {
				Name, Type, Category, Status, CountingType string
				ValueSettings                              struct{ DefaultCurrencyCode string }
			}
		}
	}
	decoder := json.NewDecoder(r.Body)
	switch {
	case !strings.HasPrefix(call, "customers/") || strings.Contains(customer, "-"):
		return false
	case verb == "conversionActions:mutate":
		if err := decoder.Decode(&body); err != nil || len(body.Operations) != 1 || body.Operations[0].Create.Type != "UPLOAD_CLICKS" ||
			len(body.Operations[0].Create.ValueSettings.DefaultCurrencyCode) != 3 {
			fail(http.StatusBadRequest, "INVALID_ARGUMENT", "REQUIRED")
			return true
		}
		sent := body.Operations[0].Create
		id, ok := p.create(models.GoogleAds, sent.Name, sent.ValueSettings.DefaultCurrencyCode)
		if !ok {
			fail(http.StatusBadRequest, "INVALID_ARGUMENT", "DUPLICATE_NAME")
			return true
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"results": []any{
			map[string]string{"resourceName": "customers/" + customer + "/conversionActions/" + id},
		}})
		return true
	case verb == "googleAds:searchStream":
		if decoder.Decode(&body) != nil || !strings.Contains(body.Query, "FROM conversion_action ") {
			return false
		}
		results := []any{}
		for _, a := range p.actionsOf(models.GoogleAds) {
			results = append(results, map[string]any{"conversionAction": map[string]string{
				"resourceName": "customers/" + customer + "/conversionActions/" + a.id, "id": a.id, "name": a.name, "type": "UPLOAD_CLICKS",
				"status": "ENABLED", "category": "PURCHASE", "ownerCustomer": p.owner(customer),
			}})
		}
		resttest.JSON(rw, http.StatusOK, []any{map[string]any{"results": results, "requestId": "r"}})
		return true
	}
	return false
}

// microsoftGoals answers requests about the goals of an ad account. A new goal whose name has an exclamation mark is created,
// but the answer says that its name exists already.
func (p *Platforms) microsoftGoals(rw http.ResponseWriter, path string, body []byte, fail func(int, int, string)) {
	var sent struct {
		ConversionGoals []struct {
			Type, Name, Scope string
			Revenue           struct{ CurrencyCode string }
		}
		ConversionGoalTypes string
	}
	_ = json.Unmarshal(body, &sent)
	switch {
	case path == "CampaignManagement/v13/ConversionGoals/QueryByIds" && sent.ConversionGoalTypes == "OfflineConversion":
		list := []any{}
		for _, a := range p.actionsOf(models.MicrosoftAds) {
			list = append(list, map[string]string{"Id": a.id, "Name": a.name, "Type": "OfflineConversion", "Status": "Active", "GoalCategory": "Purchase"})
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"ConversionGoals": list, "PartialErrors": []any{}})
	case path == "CampaignManagement/v13/ConversionGoals" && len(sent.ConversionGoals) == 1 && sent.ConversionGoals[0].Type == "OfflineConversion":
		goal := sent.ConversionGoals[0]
		id, ok := p.create(models.MicrosoftAds, goal.Name, goal.Revenue.CurrencyCode)
		if !ok || strings.Contains(goal.Name, "!") {
			resttest.JSON(rw, http.StatusOK, map[string]any{"ConversionGoalIds": []any{nil}, "PartialErrors": []any{
				map[string]any{"Index": 0, "Code": 5317, "ErrorCode": "ConversionGoalNameAlreadyExists", "Message": "The name of the conversion goal already exists."},
			}})
			return
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"ConversionGoalIds": []string{id}, "PartialErrors": []any{}})
	default:
		fail(http.StatusBadRequest, 100, "NullRequest")
	}
}
