import type { Context } from '../../context.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import { createDigestMessage } from './digest.ts'
import { type AlertMessage, createAlertMessage } from './kinds/message.ts'
import type { OutgoingMessage } from './send.ts'
import { createLinkToken } from './signed-link.ts'
import type { DueChannelDelivery } from './store.ts'

/**
 * Writes the message of a delivery, or of the digest that the row represents.
 * @param deliveredAlerts the alert of the delivery, or all alerts of the digest
 */
export function createOutgoing(
  { config }: Context,
  delivery: DueChannelDelivery,
  deliveredAlerts: IssuedDelivery[],
): OutgoingMessage {
  const { destinationId, logIndex, event, digestId, isRedelivery } = delivery
  // A step that the owner has requested again is not shown as an escalation, because the alert may
  // be acknowledged by now.
  const isEscalation = delivery.isEscalation && !isRedelivery
  const { publicUrl } = config.http
  const id = `msg_${destinationId}_${logIndex}`
  const [first] = deliveredAlerts
  if (digestId !== null || !first) {
    return createDigestMessage(deliveredAlerts.length === 1 ? id : `${id}_digest`, deliveredAlerts, publicUrl)
  }
  const { alert, isOutcome } = first
  const isCritical = event === 'alert' && alert.kind === 'alert' && alert.priority === 'critical'
  const createToken = () => createLinkToken(config, 'acknowledge', destinationId, logIndex)
  const acknowledge = isCritical
    ? { acknowledgeUrl: `${publicUrl}/api/channels/acknowledgements/${createToken()}` }
    : {}
  return {
    id: event === 'anchored' ? `${id}_anchored` : id,
    type: isOutcome ? 'alert.outcome' : event === 'anchored' ? 'alert.anchored' : 'alert.created',
    data: {
      logIndex,
      alert,
      link: `${publicUrl}/a/${alert.logIndex}`,
      ...(isEscalation ? { isEscalation } : {}),
      ...acknowledge,
    },
    message: {
      alert:
        isCritical || isEscalation
          ? createAlertMessage({ alert, logIndex, isOutcome, publicUrl, isEscalation, ...acknowledge })
          : getAlertMessage(first, publicUrl),
    },
  }
}

const messagesByDelivery = new WeakMap<IssuedDelivery, AlertMessage>()

/**
 * Caches the message of an alert: deliveries that are read together share the alert, and most have
 * the same message.
 */
function getAlertMessage(delivered: IssuedDelivery, publicUrl: string): AlertMessage {
  const cachedMessage = messagesByDelivery.get(delivered)
  if (cachedMessage) return cachedMessage
  const { alert, logIndex, isOutcome } = delivered
  const message = createAlertMessage({ alert, logIndex, isOutcome, publicUrl })
  messagesByDelivery.set(delivered, message)
  return message
}
