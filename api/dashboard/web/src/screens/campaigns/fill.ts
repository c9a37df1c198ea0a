// filled replaces each {name} in a text by the value that `values` has under this name. Any other word in braces, such as
// {clickid}, stays.
export const filled = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole))
