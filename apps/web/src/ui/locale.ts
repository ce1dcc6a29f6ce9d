/** The locale of all numbers and dates. Dates are read as day, month, year. */
export const numberLocale = 'en-US'
export const dateLocale = 'en-GB'
export const groupSign = ','
export const decimalSign = '.'
