export const apiTopics = ['Authentication', 'Users', 'Subscriptions', 'Alerts', 'WebSocket'] as const
export type ApiTopic = (typeof apiTopics)[number]

/** The tab that the address names, else the first. */
export function readApiTopic(search: { topic?: unknown }): ApiTopic {
  return apiTopics.find((topic) => topic === search.topic) ?? 'Authentication'
}
