package dashboard

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/db/savedview"
	"switchyard/models"
	"switchyard/models/bind"
)

// personRoute returns a row that every person on the account may call, whatever the role.
func personRoute(method, path, summary string, h route.Handler, codes ...string) route.Route {
	row := route.New(method, "/app/api"+path, "Dashboard", summary, h, route.Codes(codes...))
	row.Callers, row.Role = route.People, models.RoleViewer
	return row
}

func views() []route.Route {
	return []route.Route{
		personRoute("GET", "/views", "own and shared views of reports, by name", route.Handle(listViews)),
		personRoute("POST", "/views", "save a view; sharing it needs the role contributor", route.HandleBody(createView),
			"400 required too_long too_many invalid_view", "403 role_required", "409 duplicate_name"),
		personRoute("PATCH", "/views/{id}", "change a view; only its author may do so, or an owner if the view is shared", route.HandleBody(changeView),
			"400 invalid_id required too_long too_many invalid_view no_fields", "403 role_required not_author", "404 not_found", "409 duplicate_name"),
		personRoute("DELETE", "/views/{id}", "delete a view; only its author may do so, or an owner if the view is shared", route.Handle(deleteView),
			"400 invalid_id", "403 not_author", "404 not_found"),
		personRoute("PUT", "/views/default", "choose the view that reports open with", route.HandleBody(setDefaultView), "404 not_found"),
	}
}

// ViewRow is a saved view.
type ViewRow struct {
	ID        uuid.UUID         `json:"id"`
	Name      string            `json:"name"`
	Shared    bool              `json:"shared"`
	Author    string            `json:"author"`
	Mine      bool              `json:"mine"`
	MayChange bool              `json:"may_change"`
	Report    models.ViewReport `json:"report"`
	UpdatedAt string            `json:"updated_at"`
}

// ViewList lists the views that a person may see.
type ViewList struct {
	Rows    []ViewRow  `json:"rows"`
	Default *uuid.UUID `json:"default" doc:"the view that reports open with"`
}

// mayEdit reports whether the caller may change a view or note: the caller is its author, or owns the account.
func mayEdit(c *route.Call, author uuid.NullUUID) bool {
	return author.UUID == c.Person.ID || c.Role.Includes(models.RoleOwner)
}

var errAuthor = models.Errorf(models.KindForbidden, "not_author", "only the author of a view or note, or an owner, may change it")

func viewRow(c *route.Call, v models.View) ViewRow {
	return ViewRow{
		ID: v.ID, Name: v.Name, Shared: v.Shared, Author: v.Author, Mine: v.UserID.UUID == c.Person.ID, MayChange: mayEdit(c, v.UserID),
		Report: v.Report, UpdatedAt: answer.Stamp(v.UpdatedAt),
	}
}

func listViews(c *route.Call) (ViewList, error) {
	list, opens, err := savedview.New(c.Store).List(c.Context(), c.Account.ID, c.Person.ID)
	return ViewList{answer.Each(list, func(v models.View) ViewRow { return viewRow(c, v) }), answer.OrNull(opens)}, err
}

type viewBody struct {
	Name   string            `json:"name" required:"true" maxLength:"80" trim:"true"`
	Shared bool              `json:"shared"`
	Report models.ViewReport `json:"report" required:"true"`
}

// checkView returns invalid_view for a view that no report can show.
func checkView(v *models.ViewReport) error {
	bad := func(format string, args ...any) error { return models.Invalid("invalid_view", format, args...) }
	dimensions, figures := report.Dimensions(), report.Sorts()
	if len(v.Group) == 0 || len(v.Group) > models.MaxViewGroup {
		return bad("a report is grouped by one to %d dimensions", models.MaxViewGroup)
	}
	for i, d := range v.Group {
		if !slices.Contains(dimensions, d) || slices.Contains(v.Group[:i], d) {
			return bad("group[%d] is not a dimension of reports, or repeats one", i)
		}
	}
	for i, f := range v.Filters {
		if !slices.Contains(dimensions, f.Dimension) {
			return bad("filters[%d].dimension is no dimension of reports", i)
		}
		if len(f.Values) == 0 || slices.ContainsFunc(f.Values, func(s string) bool { return utf8.RuneCountInString(s) > models.MaxViewValue }) {
			return bad("filters[%d] needs at least one value, and each value has at most %d characters", i, models.MaxViewValue)
		}
	}
	for i, name := range v.Columns {
		if !slices.Contains(figures, name) || slices.Contains(v.Columns[:i], name) {
			return bad("columns[%d] is not a figure, or repeats one", i)
		}
	}
	if !isFormulas(v.Formulas, figures) {
		return bad("formulas may contain only figures, numbers, + - * / and parentheses")
	}
	if _, err := report.ParseHaving(v.Having); err != nil {
		return bad("%s", err)
	}
	if sort := strings.TrimPrefix(v.Sort, "-"); sort != "" && !slices.Contains(figures, sort) && !slices.Contains(v.Group, sort) &&
		!isSortedFormula(sort, v.Formulas) {
		return bad("sort is neither a figure, nor a dimension of the group, nor a formula of the view")
	}
	v.Filters, v.Columns = append([]models.ViewFilter{}, v.Filters...), append([]string{}, v.Columns...)
	return nil
}

var formulaWord = regexp.MustCompile(`[a-z_]+`)

// isFormulas reports whether a text consists only of names of figures, numbers, operators, parentheses, commas and spaces.
func isFormulas(text string, figures []string) bool {
	for _, word := range formulaWord.FindAllString(text, -1) {
		if !slices.Contains(figures, word) {
			return false
		}
	}
	return strings.Trim(formulaWord.ReplaceAllString(text, ""), "0123456789.+-*/(), ") == ""
}

// isSortedFormula reports whether a sort order is the character = followed by one of the formulas.
func isSortedFormula(sort, formulas string) bool {
	formula, ok := strings.CutPrefix(sort, "=")
	return ok && slices.Contains(strings.Split(formulas, ","), formula)
}

// checkMayShare returns role_required if the view is shared or is to be shared, and the caller's role may not write.
func checkMayShare(c *route.Call, shared bool) error {
	if shared && !c.MayWrite() {
		return models.Errorf(models.KindForbidden, "role_required", "sharing a view, or no longer sharing it, needs the role %s, and your role is %s", models.RoleContributor, c.Role)
	}
	return nil
}

func createView(c *route.Call, b viewBody) (ViewRow, error) {
	if err := cmp.Or(checkView(&b.Report), checkMayShare(c, b.Shared)); err != nil {
		return ViewRow{}, err
	}
	saved, err := savedview.New(c.Store).Create(c.Context(), c.Account.ID, models.View{
		UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: true}, Author: c.Person.Name, Name: b.Name, Shared: b.Shared, Report: b.Report,
	})
	return viewRow(c, saved), err
}

type viewPatch struct {
	Name   bind.Opt[string]            `json:"name" null:"refused" empty:"required" maxLength:"80" trim:"true"`
	Shared bind.Opt[bool]              `json:"shared" null:"refused"`
	Report bind.Opt[models.ViewReport] `json:"report" null:"refused"`
}

func changeView(c *route.Call, b viewPatch) (ViewRow, error) {
	if !b.Name.Set && !b.Shared.Set && !b.Report.Set {
		return ViewRow{}, models.Invalid("no_fields", "there is nothing to change")
	}
	if b.Report.Set {
		if err := checkView(&b.Report.Value); err != nil {
			return ViewRow{}, err
		}
	}
	saved, err := savedview.New(c.Store).Change(c.Context(), c.Account.ID, c.Person.ID, c.ID, func(v *models.View) error {
		if !mayEdit(c, v.UserID) {
			return errAuthor
		}
		v.Name, v.Report = b.Name.Or(v.Name), b.Report.Or(v.Report)
		if b.Shared.Given() && b.Shared.Value != v.Shared {
			v.Shared = b.Shared.Value
			return checkMayShare(c, true)
		}
		return nil
	})
	return viewRow(c, saved), err
}

func deleteView(c *route.Call) (answer.DeletedAnswer, error) {
	view, err := savedview.New(c.Store).Find(c.Context(), c.Account.ID, c.Person.ID, c.ID)
	if err == nil && !mayEdit(c, view.UserID) {
		err = errAuthor
	}
	if err != nil {
		return answer.DeletedAnswer{}, err
	}
	return answer.Deleted(c.ID), savedview.New(c.Store).Delete(c.Context(), c.Account.ID, c.ID)
}

type defaultViewBody struct {
	View *uuid.UUID `json:"view" doc:"null: no default view"`
}

// DefaultView is the view that reports open with.
type DefaultView struct {
	View *uuid.UUID `json:"view"`
}

func setDefaultView(c *route.Call, b defaultViewBody) (DefaultView, error) {
	return DefaultView(b), savedview.New(c.Store).SetDefault(c.Context(), c.Account.ID, c.Person.ID, answer.ValueOrZero(b.View))
}
