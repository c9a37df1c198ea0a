package cond

// Union compiles any number of conditions of which one has to hold. An empty list matches nobody. Conditions that compare
// the same attribute in the same way become one, so that thousands of addresses or texts cost one look-up. The error is
// an *Error.
func Union(list []Condition) (*Matcher, error) {
	if len(list) == 0 {
		return Never, nil
	}
	type key struct{ attribute, operator string }
	merged := map[key]int{}
	m := &Matcher{or: true}
	var values [][]string
	for i := range list {
		c, err := compile(&list[i])
		if err != nil {
			return nil, err
		}
		if c.test == nil || c.negate || operators[list[i].Operator].op == opBetween || c.attr == Schedule {
			m.list = append(m.list, c)
			values = append(values, nil)
			continue
		}
		more, err := items(list[i].Value)
		if err != nil {
			return nil, err
		}
		k := key{list[i].Attribute, list[i].Operator}
		at, ok := merged[k]
		if !ok {
			at, merged[k] = len(m.list), len(m.list)
			m.list = append(m.list, c)
			values = append(values, nil)
		}
		values[at] = append(values[at], more...)
	}
	for at := range m.list {
		if values[at] == nil {
			continue
		}
		c := &m.list[at]
		_, k, _, _ := findAttr(c.src.Attribute)
		test, err := newTester(c.attr, k, operators[c.src.Operator].op, values[at])
		if err != nil {
			return nil, err
		}
		c.test = test
		c.index()
		c.src = &Condition{Attribute: c.src.Attribute, Operator: c.src.Operator, Value: values[at]}
	}
	return m, nil
}
