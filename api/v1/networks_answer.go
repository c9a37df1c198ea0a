package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/models"
)

// NetworkAnswer is the saved network. Its secret is never shown.
type NetworkAnswer struct {
	ID                uuid.UUID           `json:"id"`
	Name              string              `json:"name"`
	Currency          string              `json:"currency"`
	PostbackParams    map[string]string   `json:"postback_params"`
	StatusMap         map[string][]string `json:"status_map"`
	HasPostbackSecret bool                `json:"has_postback_secret" doc:"whether a secret is saved; it is never shown"`
	URL               string              `json:"url"`
	OfferType         string              `json:"offer_type" doc:"CPA, CPS, CPL, CPC, CPM, or empty"`
	GroupName         string              `json:"group_name"`
	Notes             string              `json:"notes"`
	ManagerName       string              `json:"manager_name"`
	ManagerEmail      string              `json:"manager_email"`
	ManagerPhone      string              `json:"manager_phone"`
	ManagerIM         string              `json:"manager_im"`
	PaymentTerms      string              `json:"payment_terms"`
	PaymentFrequency  string              `json:"payment_frequency"`
	Tags              []string            `json:"tags"`
	MinimumPayout     *models.Money       `json:"minimum_payout"`
	Macros            map[string]string   `json:"macros"`
	ClickParam        string              `json:"click_param"`
	Status            string              `json:"status" enum:"active,paused"`
	CreatedAt         string              `json:"created_at"`
	UpdatedAt         string              `json:"updated_at"`
}

func networkAnswer(n models.Network) NetworkAnswer {
	return NetworkAnswer{
		ID: n.ID, Name: n.Name, Currency: n.Currency, PostbackParams: n.PostbackParams, StatusMap: n.StatusMap,
		HasPostbackSecret: n.HasPostbackSecret, URL: n.URL, OfferType: n.OfferType, GroupName: n.GroupName,
		Notes: n.Notes, ManagerName: n.ManagerName, ManagerEmail: n.ManagerEmail, ManagerPhone: n.ManagerPhone,
		ManagerIM: n.ManagerIM, PaymentTerms: n.PaymentTerms, PaymentFrequency: n.PaymentFrequency, Tags: n.Tags,
		MinimumPayout: n.MinimumPayout, Macros: n.Macros, ClickParam: n.ClickParam, Status: models.StatusOf(n.IsActive),
		CreatedAt: answer.Stamp(n.CreatedAt), UpdatedAt: answer.Stamp(n.UpdatedAt),
	}
}

// NetworkRow is a network in the list, with figures only where a window was asked for.
type NetworkRow struct {
	NetworkAnswer
	*answer.Figures
}

// NetworkRows is the answer of the list of networks.
type NetworkRows struct {
	Rows       []NetworkRow `json:"rows"`
	NextCursor *string      `json:"next_cursor" doc:"null at the end"`
}
