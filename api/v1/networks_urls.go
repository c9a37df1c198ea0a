package v1

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/form"
	"switchyard/models/postback"
	"switchyard/models/template"
	"switchyard/models/token"
)

// NetworkCreate is the body of POST /networks.
type NetworkCreate struct {
	form.NetworkBody
	Template string `json:"template" maxLength:"255" doc:"name or id of a network template, which fills in the fields that the body leaves out"`
}

// Fill adds the fields of the template that the body names.
func (NetworkCreate) Fill(c *route.Call) error {
	name := strings.TrimSpace(textMember(c.Body, "template"))
	if name == "" {
		return nil
	}
	t, err := networkTemplateOf(c, name)
	if err != nil {
		return err
	}
	return c.FillBody(t)
}

// networkTemplateOf returns a template by its name or id. The account's own templates come before the built-in ones.
func networkTemplateOf(c *route.Call, name string) (template.Network, error) {
	const longest = 255
	if utf8.RuneCountInString(name) > longest {
		return template.Network{}, form.TooLong("template", longest)
	}
	table := c.Store.NetworkTemplates()
	own, ok, err := table.Find(c.Context(), c.Account.ID, name)
	if ok || err != nil {
		return own.Network, err
	}
	var known []string
	for _, t := range template.Networks() {
		if strings.EqualFold(t.Network.Name, name) || strings.EqualFold(t.ID.String(), name) {
			return t.Network, nil
		}
		known = append(known, t.Network.Name)
	}
	list, err := table.List(c.Context(), c.Account.ID)
	if err != nil {
		return template.Network{}, err
	}
	for _, t := range list {
		known = append(known, t.Network.Name)
	}
	hint := "see GET /network-templates"
	if near := models.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return template.Network{}, models.Invalid("invalid_template", "there is no network template %.80q; %s", name, hint)
}

// NetworkURLs has the postback address to enter at the network, and the suffix of the network's offer URLs.
type NetworkURLs struct {
	PostbackURL    string `json:"postback_url" doc:"the address to enter at the network for its postbacks, with the network's own macros. A parameter without a value needs a macro of the network that is not known here. If the address contains a secret, a key that may write sees the secret and any other key sees ***"`
	OfferURLSuffix string `json:"offer_url_suffix" doc:"the end of offer URLs that passes the click id to the network. The redirect adds it to each URL that has no token for the click id. Empty: the network's click_param is not known"`
}

// networkAnswers returns networks with their postback addresses. A caller with write access sees the secret in an address, because it
// must be pasted at the network. Such a caller could also replace the secret. Any other caller sees a mask in its place.
func (d Deps) networkAnswers(c *route.Call, list []models.Network) ([]NetworkAnswer, error) {
	base, err := d.postbackBase(c)
	if err != nil {
		return nil, err
	}
	var secrets map[uuid.UUID]string
	if c.MayWrite() {
		ids := answer.Each(list, models.Network.RecordID)
		if secrets, err = c.Store.Networks().Secrets(c.Context(), c.Account.ID, ids); err != nil {
			return nil, err
		}
	}
	return answer.Each(list, func(n models.Network) NetworkAnswer {
		secret := ""
		if n.HasPostbackSecret {
			secret = postback.Mask
		}
		if s, ok := secrets[n.ID]; ok {
			secret = string(token.AppendEscaped(nil, s))
		}
		t := template.FromNetwork(n)
		address := withQuery(base+n.ID.String(), t.PostbackQuery(secret))
		return NetworkAnswer{n, n.OfferType, n.PostbackScheme, NetworkURLs{address, t.OfferSuffix()}}
	}), nil
}

// postbackBase returns the address of postbacks up to the network's id.
func (d Deps) postbackBase(c *route.Call) (string, error) {
	const path = "postback/"
	host, ok, err := c.Store.Domains().PostbackHost(c.Context(), c.Account.ID)
	if err != nil || ok {
		return d.address(host.Host, host.Shared, path), err
	}
	return strings.TrimSuffix(d.BaseURL, "/") + "/" + path, nil
}

func (d Deps) networkAnswer(c *route.Call, n models.Network) (NetworkAnswer, error) {
	list, err := d.networkAnswers(c, []models.Network{n})
	if err != nil {
		return NetworkAnswer{}, err
	}
	return list[0], nil
}

func (d Deps) putNetwork(c *route.Call, b NetworkPut) (NetworkAnswer, error) {
	n, err := b.Record()
	if err != nil {
		return NetworkAnswer{}, err
	}
	n.SetOwner(c.Account.ID, b.RecordID())
	if n, err = c.Store.Networks().Update(c.Context(), n); err != nil {
		return NetworkAnswer{}, err
	}
	return d.networkAnswer(c, n)
}
