import { Elysia, t } from 'elysia'
import { withFormFile } from '../../http/form-file.ts'
import type { Guard } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import { Refusal } from '../../lib/refusal.ts'
import { MAX_IMAGE_BYTES } from './image.ts'
import * as model from './model.ts'
import type { Media } from './service.ts'
import { thumbSize } from './signed-url.ts'

const file = { name: 'file', maxBytes: MAX_IMAGE_BYTES }

export const mediaRoutes = ({ visitor, guard, media }: { visitor: Visitor; guard: Guard; media: Media }) =>
  new Elysia({ name: 'media' })
    .use(publicRoutes({ visitor, media }))
    .use(guard)
    .post(
      '/api/v1/media',
      async ({ caller, lookAgain, request, status }) => {
        await media.refuseTooMany(caller)
        const image = await withFormFile(request, { ...file, userId: caller.id }, async (bytes) => {
          await lookAgain()
          return media.upload(caller, bytes)
        })
        return status(201, image)
      },
      {
        limit: 'upload',
        parse: 'none',
        response: { 201: model.image },
        detail: {
          summary: 'Upload an image',
          description:
            'A JPEG, PNG, WebP or GIF of up to 10 MiB and 40 megapixels. It is stored upright as WebP, its longest side at most 2048 pixels, without any metadata. An image that is not used within a day is removed. `validation_failed` if it is damaged, or there is no file; `conflict`, with an error at `/file`, if the account’s images take up 500 MB; `content_refused` if the operator’s checker of images refuses it.',
          tags: ['media'],
          refusals: [
            'malformed_body',
            'bad_request',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'content_refused',
            'conflict',
          ],
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  title: 'ImageUpload',
                  required: ['file'],
                  properties: { file: { type: 'string', format: 'binary' } },
                },
              },
            },
          },
        },
      },
    )

const publicRoutes = ({ visitor, media }: { visitor: Visitor; media: Media }) =>
  new Elysia({ name: 'media-public' })
    .use(visitor)
    // Without a rate limit: a page of chats or people loads a hundred at once, and only URLs that we signed reach the disk.
    .get(
      '/api/v1/media/:id',
      async ({ params, query, headers, request }) =>
        imageResponse(
          params.id,
          request.method,
          headers,
          await media.open(params.id, query, request.method === 'HEAD' ? 'HEAD' : 'GET'),
        ),
      {
        params: t.Object({ id: model.signedId }),
        query: model.grant,
        detail: {
          summary: 'Fetch an image by its signed URL',
          description:
            'Needs no token: use the URL from another answer unchanged. Supports `ETag`, `If-None-Match` and byte ranges. `not_found` also if the URL is altered or expired, or nothing shows the image any longer.',
          tags: ['media'],
          refusals: ['not_found', 'range_not_satisfiable'],
          security: [],
          responses: {
            200: {
              description: 'The image',
              content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
            },
            206: {
              description: 'The part that `Range` asks for',
              content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
            },
            302: { description: 'A URL of the image that is valid for some minutes, if the server keeps images in S3' },
            304: { description: 'The client has it already' },
          },
        },
      },
    )

/** An image never changes under its id. Bun cuts the file to the range that the request asks for. */
function imageResponse(
  id: string,
  method: string,
  headers: Record<string, string | undefined>,
  { image, isThumb, max_age_s }: { image: Blob | URL; isThumb: boolean; max_age_s: number },
) {
  const etag = isThumb ? `"${id}-${thumbSize}"` : `"${id}"`
  const caching = { etag, 'cache-control': `private, max-age=${max_age_s}, immutable` }
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return new Response(null, { status: 304, headers: caching })
  if (image instanceof URL)
    return new Response(null, {
      status: 302,
      headers: {
        location: image.href,
        'cache-control': `private, max-age=${max_age_s}`,
        'cross-origin-resource-policy': 'cross-origin',
      },
    })
  // RFC 9110, section 14.2: `Range` applies only to GET, and `If-Range` only to a client with a part of this same image.
  if (method === 'GET' && (headers['if-range'] ?? etag) === etag) refuseBeyond(headers.range, image)
  return new Response(image, {
    headers: {
      ...caching,
      'content-type': 'image/webp',
      // Bun adds the header itself to a partial answer.
      ...(headers.range === undefined && { 'accept-ranges': 'bytes' }),
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** Bun itself answers 416 to a range beyond the image, but without a problem document. */
function refuseBeyond(range: string | undefined, image: Blob) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range?.replace(/\s/g, '') ?? '') ?? []
  const isBeyond = first ? Number(first) >= image.size : /^0+$/.test(last)
  if (!isBeyond) return
  throw new Refusal('range_not_satisfiable', 'The image has no such part.', undefined, {
    'content-range': `bytes */${image.size}`,
  })
}
