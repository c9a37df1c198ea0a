// The time zones that the browser knows, as choices of a field.
export const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(z => z !== 'UTC')].map(value => ({
  value,
  label: value.replaceAll('_', ' '),
}))
