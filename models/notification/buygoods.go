package notification

import (
	"net/url"
	"strings"

	"switchyard/models"
)

// buygoods reads the notifications of BuyGoods.
//
// https://buygoods.ticksy.com/article/16022 documents the fields and actions. BuyGoods documents no signature. A message proves
// its sender with the secret in the URL, or in the field token_ipn or token. BuyGoods sends these fields for accounts that have such
// tokens. The field total is formatted for people, so the payout is total_amount_charged, which is in US dollars.
var buygoods = Scheme{
	Name: "buygoods", Platform: "BuyGoods", Template: "BuyGoods notifications", ClickParam: "subid",
	Proof:  "the address contains the secret, or the field token_ipn or token is the secret",
	Secret: "choose a long random text; it becomes a part of the address. If your account has a token for its IPNs, enter that token instead",
	Setup:  "Setup, Settings, or the tab IPN of the product: enter the address for each of the events New Order, Rebill, Refund and Chargeback",
	Click:  "a sub id of the link (subid to subid5), or sid, sid2, tid, vid1 to vid3 or referrer_sid",
	Docs:   []string{"https://buygoods.ticksy.com/article/16022"},
	Words: map[string]string{
		"neworder": models.StatusApproved, "newsale": models.StatusApproved, "rebill": models.StatusApproved,
		"refund": models.StatusChargeback, "chargeback": models.StatusChargeback, "chargebackrefundtime": models.StatusChargeback,
	},
	SecretInAddress: true,
	buyer:           map[string][]string{fullName: {"name"}},
	read:            readBuyGoods,
}

// SecretParam is the parameter that contains the secret in the URL, for a scheme without a signature.
const SecretParam = "secret"

func readBuyGoods(m *message) (Result, error) {
	query, _ := url.ParseQuery(m.Query)
	if len(m.Body) == 0 { // BuyGoods can send the fields in the URL
		m.Body = []byte(m.Query)
	}
	if m.parse() != nil {
		return Result{}, ErrUnproven
	}
	d := m.doc
	if !m.isSecret(query.Get(SecretParam)) && !m.isSecret(d.text("token_ipn")) && !m.isSecret(d.text("token")) {
		return Result{}, ErrUnproven
	}
	event := strings.ToLower(d.text("action_type"))
	order, item := d.text("order_id_global", "order_id"), d.text("storecheckedoutcarts_id")
	switch {
	case m.status(event) == "":
		return ignore(event, "it is no order, rebill, refund or chargeback")
	case d.isTrue("is_test"):
		return ignore(event, testOrder)
	case order == "":
		return Result{}, unreadable("the order has no id")
	}
	var ids []string
	for _, name := range []string{"subid", "subid2", "subid3", "subid4", "subid5", "sid", "sid2", "tid", "vid1", "vid2", "vid3", "referrer_sid"} {
		ids = append(ids, d.text(name))
	}
	itemKey := order + "/" + item
	r := Report{
		Click: m.click(nil, ids...), Payout: d.text("total_amount_charged"), Currency: "USD", Word: event, ConversionID: order,
		Keys: filled(itemKey, order), Time: d.text("rr_createdate"),
	}
	switch {
	case event == "rebill":
		r.About = []string{itemKey, order}
		r.Goal, r.ConversionID, r.Keys = goalRebill, order+"-"+d.text("rr_createdate"), []string{itemKey + "/" + d.text("rr_createdate")}
	case m.status(event) == models.StatusChargeback:
		r.Same, r.Keys, r.Payout, r.Time = true, nil, negated(r.Payout), ""
		r.About = []string{itemKey + "/" + d.text("rr_createdate"), itemKey, order}
	case d.isTrue("flag_upsell"):
		r.Goal, r.ConversionID, r.Keys, r.About = goalUpsell, order+"-"+item, []string{itemKey}, []string{order}
	}
	return report(event, r)
}
