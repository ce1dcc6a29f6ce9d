/** Explanations of the figures on the business page. They match the queries on the server. */

export const revenueDefinitions = [
  [
    'Revenue',
    'Transfers that were credited to a plan, at the time of their block. Transfers that a reorganisation of the chain removed do not count. A noted refund does not reduce the revenue.',
  ],
  ['Yesterday, today', 'Days begin at 00:00 UTC. Today is incomplete; its bar has a dashed frame.'],
  ['7 and 30 days', 'The last 7 or 30 days until now. The change compares with the 7 or 30 days before.'],
  ['In your currency', 'All periods use the rate that an admin entered last.'],
] as const

export const funnelDefinitions = [
  [
    'Landing visits',
    'Browsers that open the front page from outside of the site. Counted without cookies or addresses, so one person can count several times.',
  ],
  ['Sign-ups by email', 'Accepted sign-up forms, including those with an email address that already has an account.'],
  ['New accounts', 'Accounts that were created: by a verified email address, a wallet or a provider.'],
  ['Wallet linked', 'Accounts that linked their first wallet.'],
  ['First purchase', 'Accounts whose first payment was credited.'],
  ['Bought again', 'Accounts that paid, and had paid before. The percentage is their share of all accounts that paid.'],
  [
    'Percentages',
    'For the other steps: the count divided by that of the step before, in the same week (Monday to Sunday, UTC). People who take longer than a week count in different weeks, so a share can exceed 100%.',
  ],
] as const

export const retentionDefinitions = [
  ['Week of', 'The week (UTC) of an account’s first credited payment, and the number of accounts with this week.'],
  [
    'Wk 1, 2, …',
    'The share of these accounts that paid at least once in that later week. The share of an incomplete week can still rise.',
  ],
] as const

export const churnDefinitions = [
  ['Ends within 24 h', 'Accounts whose last plan, including queued plans, ends within 24 hours.'],
  [
    'Churn signals',
    'Paid only once; not seen for a day or since the plan began; opened no alert of the plan. The accounts with at least one of these signals are counted.',
  ],
  ['Left', 'Accounts whose last plan ended within the last 7 days.'],
  [
    'Churn, 30 d',
    'Share of the accounts with a plan in the last 30 days that have no plan now. Cancelled plans do not count.',
  ],
  ['Per payer, 30 d', 'Revenue of the last 30 days divided by the number of accounts that paid in this period.'],
  [
    'Renewals, 7 d',
    'Purchases of the last 7 days by accounts that had paid before. A purchase that was paid in several transfers counts once.',
  ],
] as const

export const reachDefinitions = [
  ['Which alert', 'The newest critical alert, or the newest alert if there is no critical one.'],
  ['Entitled', 'Accounts whose plan covered the time of the alert.'],
  [
    'Reached',
    'Entitled accounts with an open page or program, a destination that accepted the alert, or an opened alert.',
  ],
  [
    'Latency',
    'From the broadcast to the write to the socket, or until the other side accepted the message, for the fastest channel of each account and for each channel. p50, p95 and p99: half, 95% and 99% were at least as fast. Digests and quiet hours count as waiting until they are sent.',
  ],
  ['Opened', 'Accounts that have opened the alert or marked it as read.'],
  ['Checked its proof', 'Accounts whose page has checked signature and proof of the alert after it was opened.'],
  ['In page', 'Recorded for critical alerts, and kept for 30 days.'],
] as const

export const treasuryDefinitions = [
  ['Balance', 'Read from the chain now.'],
  ['Credited, unmatched', 'Every transfer to the treasury that the server has seen counts once.'],
  [
    'Former treasury or token',
    'Transfers to a treasury or of a token that is no longer configured. The other amounts exclude these transfers and their refunds, because the balance covers only the current treasury and token.',
  ],
  ['Refunded', 'Transfers from the treasury that were recorded with a refund.'],
  ['Withdrawn', 'The amount that the balance lacks: withdrawals, and refunds without a recorded transaction.'],
] as const

export const healthDefinitions = [
  ['Feed', 'Gap: no connection to the signal feed.'],
  [
    'Engine',
    'Gap: no status message from the engine for more than 35 seconds. The engine sends one every ten seconds.',
  ],
  ['Anchors', 'Gap: a log entry waited for its anchor for more than ten minutes.'],
  ['Alerts', 'Alerts that were broadcast, in steps of half an hour. Corrections and retractions do not count.'],
  [
    'To anchor',
    'Median time from the log entry to the block of its anchor, for the newest alerts of the last 24 hours.',
  ],
] as const

export const alertDefinitions = [
  ['Alerts', 'Alerts of the last 7 days that were broadcast. Corrections and retractions do not count.'],
  ['By hour', 'The hour of the day in UTC, summed over the seven days.'],
  ['By type', 'The types with the most alerts, at most twelve.'],
] as const
