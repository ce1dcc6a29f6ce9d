/** Locales of all numbers and dates. British dates have the order day, month, year. */
export const numberLocale = 'en-US'
export const dateLocale = 'en-GB'
export const groupSeparator = ','
export const decimalSeparator = '.'
