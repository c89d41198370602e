/**
 * Made by `make generate` from openapi/. Do not edit: change the document instead.
 */

export interface paths {
    "/bikes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBikes"];
        put?: never;
        post: operations["createBike"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bikes/{bikeId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        get: operations["getBike"];
        put: operations["replaceBike"];
        post?: never;
        delete: operations["deleteBike"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bikes/{bikeId}/label": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        get: operations["printLabel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/neighbors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listNeighbors"];
        put?: never;
        post: operations["addNeighbor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/neighbors/{neighborId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 1 */
                neighborId: bigint;
            };
            cookie?: never;
        };
        get: operations["getNeighbor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    bikeAdded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Bike"];
                };
            };
            responses: {
                /** @description Received. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        NewBike: {
            /** @example WTU 204 F */
            serial: string;
            /** @example The red one */
            name: string;
            /** @example 7 */
            gears: number;
            /**
             * Format: int64
             * @default 0
             */
            kilometers?: bigint;
            /** @default false */
            electric?: boolean;
            /** Format: date-time */
            boughtAt?: string;
            /**
             * Format: int64
             * @description Whose it is.
             */
            neighborId: bigint;
        };
        Bike: components["schemas"]["NewBike"] & {
            /** Format: uuid */
            readonly bikeId: string;
            kilometers: ({} | null);
            electric: ({} | null);
        };
        Neighbor: {
            /** Format: int64 */
            readonly neighborId: bigint;
            name: string;
            /** Format: date */
            since?: string | null;
        };
        OneNeighbor: {
            neighbor: components["schemas"]["Neighbor"];
        };
        /** @description What went wrong (RFC 9457). */
        Problem: {
            /** Format: uri-reference */
            type?: string;
            title: string;
            status: number;
            detail?: string;
            /** @description A number for programs. */
            code?: number;
        };
        NewBikeRequest: {
            /** @example WTU 204 F */
            serial: string;
            /** @example The red one */
            name: string;
            /** @example 7 */
            gears: number;
            /**
             * Format: int64
             * @default 0
             */
            kilometers: bigint;
            /** @default false */
            electric: boolean;
            /** Format: date-time */
            boughtAt?: string;
            /**
             * Format: int64
             * @description Whose it is.
             */
            neighborId: bigint;
        };
        NeighborRequest: {
            name: string;
            /** Format: date */
            since?: string | null;
        };
    };
    responses: {
        /** @description The request does not match the document. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such bike, or no such neighbor. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Another bike has the serial, or there is no such neighbor. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No credentials were sent, or they were refused. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request accepts none of the media types of the response. */
        NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body did not arrive in time. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is larger than this server accepts. */
        ContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The media type, charset or content coding of the request body is not supported. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The client has sent more requests than its quota allows, where the server has one. */
        TooManyRequests: {
            headers: {
                "Retry-After": string;
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server failed; the cause is in its log. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server is overloaded, without its storage or shutting down. */
        ServiceUnavailable: {
            headers: {
                "Retry-After": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description How to authenticate (RFC 9110 section 11.6.1). */
        "WWW-Authenticate": string;
        /** @description Seconds after which to try again (RFC 9110 section 10.2.3). */
        "Retry-After": string;
        /** @description What is left of the quota, and for how many seconds (draft-ietf-httpapi-ratelimit-headers-11 section 4). */
        RateLimit: string;
        /** @description The quota, and its window in seconds (draft-ietf-httpapi-ratelimit-headers-11 section 3). */
        "RateLimit-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBikes: {
        parameters: {
            query: {
                after?: string;
                limit: number;
                electric?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of bikes, in the order of their ids. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bike"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBike: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serial": "WTU 204 F",
                 *       "name": "The red one",
                 *       "gears": 7,
                 *       "neighborId": 1,
                 *       "kilometers": 0,
                 *       "electric": false,
                 *       "boughtAt": "2024-01-01T12:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewBikeRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bike"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBike: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bike. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bike"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replaceBike: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serial": "WTU 204 F",
                 *       "name": "The red one",
                 *       "gears": 7,
                 *       "neighborId": 1,
                 *       "kilometers": 0,
                 *       "electric": false,
                 *       "boughtAt": "2024-01-01T12:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewBikeRequest"];
            };
        };
        responses: {
            /** @description The changed bike. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bike"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBike: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    printLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-000000000001 */
                bikeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What to write on the bike. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description There is no such bike. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNeighbors: {
        parameters: {
            query: {
                offset: number;
                limit: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of neighbors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        neighbors: components["schemas"]["Neighbor"][];
                        total: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addNeighbor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    neighbor: components["schemas"]["NeighborRequest"];
                };
            };
        };
        responses: {
            /** @description Added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneNeighbor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNeighbor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 1 */
                neighborId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The neighbor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneNeighbor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}

/** The security requirements of each operation: alternatives, each with its schemes and their scopes. */
export interface security {
    "listBikes": {"keeper":[]};
    "createBike": {"keeper":[]};
    "getBike": {"keeper":[]};
    "replaceBike": {"keeper":[]};
    "deleteBike": {"keeper":[]};
    "printLabel": {"keeper":[]};
    "listNeighbors": {"keeper":[]};
    "addNeighbor": {"keeper":[]};
    "getNeighbor": {"keeper":[]};
}
