/** The bodies of the HTTP interface, by their names in its OpenAPI document. */
export interface ApiSchemas {
    /** One state and 1 to 16 questions about it. */
    readonly DecideRequest: {
        /** An id of the model list; `null` or absent is the default model. */
        readonly model?: string | null | undefined;
        /** Maximum input tokens per image; 280 if absent. */
        readonly image_budget?: 70 | 140 | 280 | undefined;
        /** Images by reference. */
        readonly assets?: {
            readonly [name: string]: {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The file in standard base64. */
                readonly data_base64: string;
                readonly part?: null | undefined;
            } | {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The part of a multipart body that holds the file. */
                readonly part: string;
                readonly data_base64?: null | undefined;
            };
        } | undefined;
        /** The situation. JSON is passed to the model as indented JSON. */
        readonly state: unknown;
        /** The questions by name; answers come back under the same names. */
        readonly questions: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** What yes and no mean, or left out. */
                readonly criteria?: null | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly true: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly false: string | null;
                } | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly yes: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly no: string | null;
                } | undefined;
            } | {
                readonly type: "choice";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The labels: label to description, or a list of labels. Each label once. */
                readonly criteria: {
                    readonly [name: string]: string | null;
                } | readonly (string)[];
            } | {
                readonly type: "score";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The levels, lowest first. */
                readonly criteria: readonly (string | null)[];
            };
        };
    };
    /** One state and 1 to 16 questions about it, as System One clients send them. */
    readonly SystemoneRequest: {
        /** An id of the model list; `null` or absent is the default model. */
        readonly model?: string | null | undefined;
        /** Maximum input tokens per image; 280 if absent. */
        readonly image_budget?: 70 | 140 | 280 | undefined;
        /** Images by reference. */
        readonly assets?: {
            readonly [name: string]: {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The file in standard base64. */
                readonly data_base64: string;
                readonly part?: null | undefined;
            } | {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The part of a multipart body that holds the file. */
                readonly part: string;
                readonly data_base64?: null | undefined;
            };
        } | undefined;
        /** The situation, `null` included. */
        readonly state: unknown;
        /** The questions by name; answers come back under the same names. */
        readonly questions: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | {
                    readonly [name: string]: unknown;
                } | readonly (unknown)[] | undefined;
                /** What yes and no mean, or left out. */
                readonly criteria?: null | {
                    /** A string, or an object or array, which reaches the model as indented JSON. */
                    readonly true?: string | null | {
                        readonly [name: string]: unknown;
                    } | readonly (unknown)[] | undefined;
                    /** A string, or an object or array, which reaches the model as indented JSON. */
                    readonly false?: string | null | {
                        readonly [name: string]: unknown;
                    } | readonly (unknown)[] | undefined;
                } | {
                    /** A string, or an object or array, which reaches the model as indented JSON. */
                    readonly yes?: string | null | {
                        readonly [name: string]: unknown;
                    } | readonly (unknown)[] | undefined;
                    /** A string, or an object or array, which reaches the model as indented JSON. */
                    readonly no?: string | null | {
                        readonly [name: string]: unknown;
                    } | readonly (unknown)[] | undefined;
                } | undefined;
            } | {
                readonly type: "choice";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | {
                    readonly [name: string]: unknown;
                } | readonly (unknown)[] | undefined;
                /** The labels: label to description, or a list of labels. Each label once. */
                readonly criteria: {
                    readonly [name: string]: string | null | {
                        readonly [name: string]: unknown;
                    } | readonly (unknown)[];
                } | readonly (string)[];
            } | {
                readonly type: "score";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | {
                    readonly [name: string]: unknown;
                } | readonly (unknown)[] | undefined;
                /** The levels, lowest first. */
                readonly criteria: readonly (string | null | {
                    readonly [name: string]: unknown;
                } | readonly (unknown)[])[];
            };
        };
    };
    /** One input and 1 to 400 questions about it, as OpenAI clients send them. */
    readonly DecisionsRequest: {
        /** A name that is not served means the default model. */
        readonly model: string;
        readonly input: string | readonly ({
            readonly type?: "message" | null | undefined;
            readonly role: "user";
            readonly content: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            } | {
                readonly type: "input_json";
                readonly data: {
                    readonly [name: string]: unknown;
                } | readonly ({
                    readonly [name: string]: unknown;
                })[];
            })[];
        } | {
            readonly type?: "message" | null | undefined;
            readonly role: "developer";
            readonly content: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            })[];
        } | {
            readonly type?: "message" | null | undefined;
            readonly role: "system";
            readonly content: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            })[];
        } | {
            readonly type?: "message" | null | undefined;
            readonly role: "assistant";
            readonly content: string | readonly ({
                readonly type: "output_text";
                readonly text: string;
            } | {
                readonly type: "refusal";
                readonly refusal: string;
            })[];
        } | {
            readonly type: "function_call";
            readonly call_id: string;
            readonly name: string;
            readonly namespace?: string | null | undefined;
            readonly arguments: string;
        } | {
            readonly type: "function_call_output";
            /** That of an earlier call in the list. */
            readonly call_id: string;
            readonly output: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            })[];
        } | {
            readonly type: "custom_tool_call";
            readonly call_id: string;
            readonly name: string;
            readonly namespace?: string | null | undefined;
            readonly input: string;
        } | {
            readonly type: "custom_tool_call_output";
            /** That of an earlier call in the list. */
            readonly call_id: string;
            readonly output: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            })[];
        })[];
        readonly questions: readonly ({
            readonly type: "predicate";
            readonly name?: string | null | undefined;
            readonly instructions?: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            } | {
                readonly type: "input_json";
                readonly data: {
                    readonly [name: string]: unknown;
                } | readonly ({
                    readonly [name: string]: unknown;
                })[];
            })[] | null | undefined;
        } | {
            readonly type: "choice";
            readonly name?: string | null | undefined;
            readonly instructions?: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            } | {
                readonly type: "input_json";
                readonly data: {
                    readonly [name: string]: unknown;
                } | readonly ({
                    readonly [name: string]: unknown;
                })[];
            })[] | null | undefined;
            /** Each value once; `true` is not `"true"`. */
            readonly choices: readonly ({
                readonly value: string | boolean;
                readonly description?: string | null | undefined;
            })[];
        } | {
            readonly type: "score";
            readonly name?: string | null | undefined;
            readonly instructions?: string | readonly ({
                readonly type: "input_text";
                readonly text: string;
            } | {
                readonly type: "input_image";
                /** A `data:` URL in base64. Addresses are refused. */
                readonly image_url: string;
                /** `low`: at most 70 tokens; otherwise 280. */
                readonly detail?: "low" | "high" | "auto" | "original" | null | undefined;
            } | {
                readonly type: "input_json";
                readonly data: {
                    readonly [name: string]: unknown;
                } | readonly ({
                    readonly [name: string]: unknown;
                })[];
            })[] | null | undefined;
            /** Lowest first. */
            readonly levels: readonly ({
                readonly label: string;
                readonly description?: string | null | undefined;
            })[];
        })[];
        /** No effect. */
        readonly prompt_cache_key?: string | null | undefined;
        /** No effect. */
        readonly prompt_cache_options?: {
            readonly [name: string]: unknown;
        } | null | undefined;
        /** No effect. */
        readonly safety_identifier?: string | null | undefined;
    };
    /** The answers. */
    readonly DecideResponse: {
        /** The build that answered. */
        readonly model: string;
        /** One answer per question, under its name. */
        readonly answers: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The probability of yes, at least 0.80 towards the chosen side. */
                readonly noul: number;
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
            } | {
                readonly type: "choice";
                /** The chosen label. */
                readonly choice: string;
                readonly confidence: number;
                /** By label; they sum to 1. */
                readonly probabilities: {
                    readonly [name: string]: number;
                };
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
            } | {
                readonly type: "score";
                /** The most probable level. */
                readonly level: number;
                /** The mean of the levels’ numbers. */
                readonly score: number;
                readonly confidence: number;
                /** What each level means, by its number. */
                readonly legend: {
                    readonly [name: string]: string;
                };
                /** By level; they sum to 1. */
                readonly probabilities: {
                    readonly [name: string]: number;
                };
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
            };
        };
        readonly usage: {
            readonly input_tokens: number;
            readonly output_tokens: number;
        };
    };
    /** The answers. */
    readonly DecisionsResponse: {
        /** The build that answered. */
        readonly model: string;
        /** In the order of the questions. */
        readonly answers: readonly ({
            readonly type: "predicate";
            readonly name: string | null;
            readonly probability: number;
            /** On request: in the order of the options (of a predicate, true and false), not rounded. */
            readonly raw_probabilities?: readonly (number)[] | undefined;
            /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
            readonly label_mass?: number | undefined;
        } | {
            readonly type: "choice";
            readonly name: string | null;
            readonly choice: string | boolean;
            readonly confidence: number;
            /** In the order of the request; they sum to 1. */
            readonly probabilities: readonly ({
                readonly value: string | boolean;
                readonly probability: number;
            })[];
            /** On request: in the order of the options (of a predicate, true and false), not rounded. */
            readonly raw_probabilities?: readonly (number)[] | undefined;
            /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
            readonly label_mass?: number | undefined;
        } | {
            readonly type: "score";
            readonly name: string | null;
            readonly score: number;
            readonly confidence: number;
            /** In the order of the request; they sum to 1. */
            readonly probabilities: readonly ({
                readonly value: number;
                readonly label: string;
                readonly probability: number;
            })[];
            /** On request: in the order of the options (of a predicate, true and false), not rounded. */
            readonly raw_probabilities?: readonly (number)[] | undefined;
            /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
            readonly label_mass?: number | undefined;
        } | {
            readonly type: "refusal";
            readonly name: string | null;
        })[];
        readonly usage: {
            /** The billed tokens. */
            readonly input_tokens: number;
            readonly input_tokens_details: {
                /** Those that were not computed again. */
                readonly cached_tokens: number;
                readonly cache_write_tokens: number;
            };
            /** The number of answered questions. */
            readonly output_tokens: number;
            readonly output_tokens_details: {
                readonly reasoning_tokens: number;
            };
            readonly total_tokens: number;
        };
    };
    /** The batch that was stored. */
    readonly SubmitResponse: {
        readonly id: string;
        readonly object: "batch";
        readonly status: "queued" | "running" | "done" | "failed" | "cancelled";
        readonly lines: number;
        /** An estimate from the sizes of the lines. */
        readonly estimated_cost: {
            readonly amount: number;
            readonly currency: string;
            readonly input_tokens: number;
            /** 0.5: half the live price. */
            readonly rate: number;
            readonly basis: "estimate";
        };
        /** ISO 8601 with offset. */
        readonly expires_at: string;
        readonly data_region: string;
    };
    /** A batch. */
    readonly Batch: {
        readonly id: string;
        readonly object: "batch";
        readonly status: "queued" | "running" | "done" | "failed" | "cancelled";
        readonly lines: number;
        readonly counts: {
            readonly done: number;
            readonly failed: number;
            readonly pending: number;
        };
        readonly models: readonly (string)[];
        /** ISO 8601 with offset. */
        readonly created_at: string;
        readonly started_at: string | null;
        readonly finished_at: string | null;
        /** ISO 8601 with offset. */
        readonly expires_at: string;
        readonly reason: string | null;
        readonly results_available: boolean;
        readonly webhook: boolean;
        /** What the calls of the webhook have come to; `null` without a webhook. */
        readonly webhook_delivery: {
            readonly status: "pending" | "delivered" | "failed";
            readonly attempts: number;
            /** Why the last attempt failed, such as `timeout` or `status_404`. */
            readonly error: string | null;
        } | null;
        /** An estimate from the sizes of the lines. */
        readonly estimated_cost: {
            readonly amount: number;
            readonly currency: string;
            readonly input_tokens: number;
            /** 0.5: half the live price. */
            readonly rate: number;
            readonly basis: "estimate";
        };
        readonly data_region: string;
        readonly delete_after: string | null;
    };
    /** The batches of the key. */
    readonly BatchList: {
        readonly object: "list";
        readonly data: readonly ({
            readonly id: string;
            readonly object: "batch";
            readonly status: "queued" | "running" | "done" | "failed" | "cancelled";
            readonly lines: number;
            readonly counts: {
                readonly done: number;
                readonly failed: number;
                readonly pending: number;
            };
            readonly models: readonly (string)[];
            /** ISO 8601 with offset. */
            readonly created_at: string;
            readonly started_at: string | null;
            readonly finished_at: string | null;
            /** ISO 8601 with offset. */
            readonly expires_at: string;
            readonly reason: string | null;
            readonly results_available: boolean;
            readonly webhook: boolean;
            /** What the calls of the webhook have come to; `null` without a webhook. */
            readonly webhook_delivery: {
                readonly status: "pending" | "delivered" | "failed";
                readonly attempts: number;
                /** Why the last attempt failed, such as `timeout` or `status_404`. */
                readonly error: string | null;
            } | null;
            /** An estimate from the sizes of the lines. */
            readonly estimated_cost: {
                readonly amount: number;
                readonly currency: string;
                readonly input_tokens: number;
                /** 0.5: half the live price. */
                readonly rate: number;
                readonly basis: "estimate";
            };
            readonly data_region: string;
            readonly delete_after: string | null;
        })[];
        /** Only with `limit`: whether more batches follow. */
        readonly has_more?: boolean | undefined;
    };
    /** Questions that are asked about many states. */
    readonly TaskRequest: {
        /** The questions by name; answers come back under the same names. */
        readonly questions: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** What yes and no mean, or left out. */
                readonly criteria?: null | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly true: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly false: string | null;
                } | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly yes: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly no: string | null;
                } | undefined;
            } | {
                readonly type: "choice";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The labels: label to description, or a list of labels. Each label once. */
                readonly criteria: {
                    readonly [name: string]: string | null;
                } | readonly (string)[];
            } | {
                readonly type: "score";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The levels, lowest first. */
                readonly criteria: readonly (string | null)[];
            };
        };
        /** An id of the model list, or a build; `null` or absent is the default model. */
        readonly model?: string | null | undefined;
        /** A note of at most 1024 characters. */
        readonly description?: string | null | undefined;
        /** The most that the share of errors among accepted answers may be; 0.05 if absent. */
        readonly target_error?: number | undefined;
        /** With which probability the target error holds; 0.95 if absent. */
        readonly confidence?: number | undefined;
        /** A second build that is compared with the one that answers; `null` or absent: none. */
        readonly shadow?: {
            /** An id of the model list, or a build. */
            readonly model: string;
            /** The share of the requests that are also run on it. */
            readonly share: number;
        } | null | undefined;
    };
    /** A task and the questions of its version in use. */
    readonly Task: {
        readonly object: "task";
        readonly name: string;
        readonly version: number;
        /** An id of the model list, or a build; `null` or absent is the default model. */
        readonly model: string | null;
        /** A note of at most 1024 characters. */
        readonly description: string | null;
        /** The most that the share of errors among accepted answers may be; 0.05 if absent. */
        readonly target_error: number;
        /** With which probability the target error holds; 0.95 if absent. */
        readonly confidence: number;
        /** ISO 8601 with offset. */
        readonly created_at: string;
        /** ISO 8601 with offset. */
        readonly updated_at: string;
        /** Oldest first; the last one is in use. */
        readonly versions: readonly ({
            readonly version: number;
            /** An id of the model list, or a build; `null` or absent is the default model. */
            readonly model: string | null;
            /** ISO 8601 with offset. */
            readonly created_at: string;
        })[];
        /** Answers whose numbers are kept. */
        readonly answers: number;
        /** Answers to the version in use whose correct options are known. */
        readonly labels: number;
        /** The fit in force for the build that answers now; `null` without one. */
        readonly fit: {
            readonly object: "fit";
            readonly task: {
                readonly name: string;
                readonly version: number;
            };
            /** The build whose answers are labelled. */
            readonly model: string;
            readonly target_error: number;
            readonly confidence: number;
            readonly fitted_at: string;
            /** By name. */
            readonly questions: {
                readonly [name: string]: {
                    readonly labels: number;
                    /** The labels that chose neither the temperature nor the candidates. */
                    readonly tested: number;
                    readonly temperature: {
                        /** Divides the logits again; 1 changes nothing. */
                        readonly value: number;
                    };
                    /** Of the labels that tested the threshold. */
                    readonly quality: {
                        readonly n: number;
                        readonly accuracy: number;
                        readonly brier: number;
                        readonly log_loss: number;
                        readonly ece: number;
                        readonly ci: {
                            /** The bounds of a 95 % interval. */
                            readonly accuracy: readonly (number)[];
                            /** The bounds of a 95 % interval. */
                            readonly brier: readonly (number)[];
                            /** The bounds of a 95 % interval. */
                            readonly log_loss: readonly (number)[];
                            /** The bounds of a 95 % interval. */
                            readonly ece: readonly (number)[];
                        };
                        /** Parts of the labels, lowest confidence first: how many they are, their smallest, largest and mean confidence, and the share that is correct. */
                        readonly reliability: readonly ({
                            readonly n: number;
                            readonly from: number;
                            readonly to: number;
                            readonly confidence: number;
                            readonly accuracy: number;
                        })[];
                        /** For thresholds, highest first: how many labels each accepts, as a number and as a share, and the share of them that is wrong. */
                        readonly coverage: readonly ({
                            readonly threshold: number;
                            readonly n: number;
                            readonly coverage: number;
                            readonly error: number;
                        })[];
                    };
                    /** `null`: none keeps the target. */
                    readonly threshold: {
                        /** The smallest confidence of an accepted answer. */
                        readonly threshold: number;
                        /** Of the labels that tested it, those that it accepts. */
                        readonly accepted: number;
                        /** Those of them that are wrong. */
                        readonly wrong: number;
                        /** The upper confidence bound of the error; at most the target. */
                        readonly error_max: number;
                        readonly coverage: {
                            readonly value: number;
                            /** The bounds of a 95 % interval. */
                            readonly ci: readonly (number)[];
                        };
                        readonly error: {
                            readonly value: number;
                            /** The bounds of a 95 % interval. */
                            readonly ci: readonly (number)[];
                        };
                    } | null;
                    /** Larger coverages, and how many labels each would probably need. */
                    readonly more: readonly ({
                        readonly threshold: number;
                        readonly coverage: number;
                        readonly labels: number;
                    })[];
                } | {
                    readonly refused: "too_few_labels";
                    readonly labels: number;
                    readonly needed: number;
                };
            };
        } | null;
        /** What the answers of that build say since the fit; `null` without one. */
        readonly drift: {
            readonly [name: string]: {
                /** Answers since the fit. */
                readonly answers: number;
                /** The last of them, which are compared. */
                readonly window: number;
                /** How often each option is chosen, in their order. */
                readonly chosen: {
                    /** The population stability index; `null` without answers. */
                    readonly stability_index: number | null;
                    /** About its mean if nothing has changed. */
                    readonly unchanged: number | null;
                    /** Shares of the labelled answers of the fit. */
                    readonly labelled: readonly (number)[];
                    /** Shares of the last answers. */
                    readonly window: readonly (number)[];
                };
                /** How often the confidence is in each class, lowest first. */
                readonly confidence: {
                    /** The population stability index; `null` without answers. */
                    readonly stability_index: number | null;
                    /** About its mean if nothing has changed. */
                    readonly unchanged: number | null;
                    /** Shares of the labelled answers of the fit. */
                    readonly labelled: readonly (number)[];
                    /** Shares of the last answers. */
                    readonly window: readonly (number)[];
                };
                /** `null`: nothing has changed significantly. */
                readonly alarm: {
                    /** The answers since the fit when it was raised. */
                    readonly after_answers: number;
                    /** The labelled answers of the fit, or all answers before the last ones. */
                    readonly compared_with: "labelled" | "earlier";
                    /** The option that is chosen more or less often. */
                    readonly chosen?: string | undefined;
                    /** The confidence is below this more or less often. */
                    readonly confidence_below?: number | undefined;
                    readonly share_before: number;
                    readonly share_now: number;
                } | null;
                /** `null`: the question has no threshold. */
                readonly errors: {
                    /** Accepted answers that were labelled since the fit. */
                    readonly labels: number;
                    /** Those of them that are wrong. */
                    readonly wrong: number;
                    /** That the error is above the target. */
                    readonly evidence: number;
                    /** The evidence at which the alarm is raised. */
                    readonly alarm_at: number;
                    /** The labels when the alarm was raised; `null`: it is not. */
                    readonly after_labels: number | null;
                } | null;
            } | null;
        } | null;
        /** The alarms that are raised, and thresholds that are not in force any more, until the next fit. */
        readonly warnings: readonly ({
            readonly type: "drift" | "error_above_target" | "fit_outdated";
            readonly question: string;
            /** For people; it may change. */
            readonly message: string;
        })[];
        /** The shadow build; `null` without one. */
        readonly shadow: {
            readonly model: string;
            readonly share: number;
            /** The builds that are compared; `null`: the server does not serve it. */
            readonly builds: {
                readonly live: string | null;
                readonly shadow: string | null;
            };
            /** When counting began; `null`: nothing is counted yet. */
            readonly since: string | null;
            /** By name. */
            readonly questions: {
                readonly [name: string]: {
                    /** Requests that both builds have answered. */
                    readonly answers: number;
                    /** The share of answers with the same option. */
                    readonly agreement: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    } | null;
                    /** Of the probabilities, over all options. */
                    readonly mean_difference: number | null;
                    /** The largest one of a probability. */
                    readonly largest_difference: number | null;
                    /** The share of answers whose `accept` would change; `null` without a threshold. */
                    readonly accept_changed: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    } | null;
                    readonly newly_accepted: number;
                    readonly no_longer_accepted: number;
                    /** Labels of answers that both builds have given. */
                    readonly labels: number;
                    /** The share of right answers of the build that answers. */
                    readonly live_accuracy: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    } | null;
                    /** The share of right answers of the shadow build. */
                    readonly shadow_accuracy: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    } | null;
                    /** Shadow minus live, with the interval of paired answers. */
                    readonly accuracy_difference: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    } | null;
                };
            };
        } | null;
        /** The questions by name; answers come back under the same names. */
        readonly questions: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** What yes and no mean, or left out. */
                readonly criteria?: null | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly true: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly false: string | null;
                } | {
                    /** What the option means; with `null` the model sees its name. */
                    readonly yes: string | null;
                    /** What the option means; with `null` the model sees its name. */
                    readonly no: string | null;
                } | undefined;
            } | {
                readonly type: "choice";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The labels: label to description, or a list of labels. Each label once. */
                readonly criteria: {
                    readonly [name: string]: string | null;
                } | readonly (string)[];
            } | {
                readonly type: "score";
                /** The question in plain language; `null` means no instructions. */
                readonly instructions?: string | null | undefined;
                /** The levels, lowest first. */
                readonly criteria: readonly (string | null)[];
            };
        };
    };
    /** The tasks of the workspace, without their questions. */
    readonly TaskList: {
        readonly object: "list";
        /** By name. */
        readonly data: readonly ({
            readonly object: "task";
            readonly name: string;
            readonly version: number;
            /** An id of the model list, or a build; `null` or absent is the default model. */
            readonly model: string | null;
            /** A note of at most 1024 characters. */
            readonly description: string | null;
            /** The most that the share of errors among accepted answers may be; 0.05 if absent. */
            readonly target_error: number;
            /** With which probability the target error holds; 0.95 if absent. */
            readonly confidence: number;
            /** ISO 8601 with offset. */
            readonly created_at: string;
            /** ISO 8601 with offset. */
            readonly updated_at: string;
            /** Answers whose numbers are kept. */
            readonly answers: number;
            /** Answers to the version in use whose correct options are known. */
            readonly labels: number;
            /** When the fit in force for the build that answers now was made; `null` without one. */
            readonly fitted_at: string | null;
        })[];
    };
    /** The task does not exist any more. */
    readonly TaskDeleted: {
        readonly object: "task";
        readonly name: string;
        readonly deleted: true;
    };
    /** One state for the questions of a task. */
    readonly TaskDecideRequest: {
        /** The situation. JSON is passed to the model as indented JSON. */
        readonly state: unknown;
        /** Maximum input tokens per image; 280 if absent. */
        readonly image_budget?: 70 | 140 | 280 | undefined;
        /** Images by reference. */
        readonly assets?: {
            readonly [name: string]: {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The file in standard base64. */
                readonly data_base64: string;
                readonly part?: null | undefined;
            } | {
                readonly type?: "image" | undefined;
                /** `png`, `jpg` or `jpeg`; the bytes must truly be in that format. */
                readonly format?: unknown | undefined;
                /** The part of a multipart body that holds the file. */
                readonly part: string;
                readonly data_base64?: null | undefined;
            };
        } | undefined;
    };
    /** The answers to the questions of a task. */
    readonly TaskAnswers: {
        /** The build that answered. */
        readonly model: string;
        /** One answer per question, under its name. */
        readonly answers: {
            readonly [name: string]: {
                readonly type: "noul";
                /** The probability of yes, at least 0.80 towards the chosen side. */
                readonly noul: number;
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
                /** Whether the answer passes the threshold in force; `null` without one. */
                readonly accept: boolean | null;
            } | {
                readonly type: "choice";
                /** The chosen label. */
                readonly choice: string;
                readonly confidence: number;
                /** By label; they sum to 1. */
                readonly probabilities: {
                    readonly [name: string]: number;
                };
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
                /** Whether the answer passes the threshold in force; `null` without one. */
                readonly accept: boolean | null;
            } | {
                readonly type: "score";
                /** The most probable level. */
                readonly level: number;
                /** The mean of the levels’ numbers. */
                readonly score: number;
                readonly confidence: number;
                /** What each level means, by its number. */
                readonly legend: {
                    readonly [name: string]: string;
                };
                /** By level; they sum to 1. */
                readonly probabilities: {
                    readonly [name: string]: number;
                };
                /** On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed. */
                readonly raw_probabilities?: {
                    readonly [name: string]: number;
                } | undefined;
                /** On request: the probability that the model gave to the labels of the options together, before the softmax over them. */
                readonly label_mass?: number | undefined;
                /** Whether the answer passes the threshold in force; `null` without one. */
                readonly accept: boolean | null;
            };
        };
        readonly usage: {
            readonly input_tokens: number;
            readonly output_tokens: number;
        };
        /** The task, and the version that was asked. */
        readonly task: {
            readonly name: string;
            readonly version: number;
        };
    };
    /** The labels are stored. */
    readonly TaskLabels: {
        readonly object: "labels";
        readonly task: {
            readonly name: string;
            readonly version: number;
        };
        /** Lines of the call, all of which are stored. */
        readonly lines: number;
        /** Labelled answers that the task has now. */
        readonly labels: number;
    };
    /** What the labels say about each question, and its threshold. */
    readonly TaskFit: {
        readonly object: "fit";
        readonly task: {
            readonly name: string;
            readonly version: number;
        };
        /** The build whose answers are labelled. */
        readonly model: string;
        readonly target_error: number;
        readonly confidence: number;
        readonly fitted_at: string;
        /** By name. */
        readonly questions: {
            readonly [name: string]: {
                readonly labels: number;
                /** The labels that chose neither the temperature nor the candidates. */
                readonly tested: number;
                readonly temperature: {
                    /** Divides the logits again; 1 changes nothing. */
                    readonly value: number;
                };
                /** Of the labels that tested the threshold. */
                readonly quality: {
                    readonly n: number;
                    readonly accuracy: number;
                    readonly brier: number;
                    readonly log_loss: number;
                    readonly ece: number;
                    readonly ci: {
                        /** The bounds of a 95 % interval. */
                        readonly accuracy: readonly (number)[];
                        /** The bounds of a 95 % interval. */
                        readonly brier: readonly (number)[];
                        /** The bounds of a 95 % interval. */
                        readonly log_loss: readonly (number)[];
                        /** The bounds of a 95 % interval. */
                        readonly ece: readonly (number)[];
                    };
                    /** Parts of the labels, lowest confidence first: how many they are, their smallest, largest and mean confidence, and the share that is correct. */
                    readonly reliability: readonly ({
                        readonly n: number;
                        readonly from: number;
                        readonly to: number;
                        readonly confidence: number;
                        readonly accuracy: number;
                    })[];
                    /** For thresholds, highest first: how many labels each accepts, as a number and as a share, and the share of them that is wrong. */
                    readonly coverage: readonly ({
                        readonly threshold: number;
                        readonly n: number;
                        readonly coverage: number;
                        readonly error: number;
                    })[];
                };
                /** `null`: none keeps the target. */
                readonly threshold: {
                    /** The smallest confidence of an accepted answer. */
                    readonly threshold: number;
                    /** Of the labels that tested it, those that it accepts. */
                    readonly accepted: number;
                    /** Those of them that are wrong. */
                    readonly wrong: number;
                    /** The upper confidence bound of the error; at most the target. */
                    readonly error_max: number;
                    readonly coverage: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    };
                    readonly error: {
                        readonly value: number;
                        /** The bounds of a 95 % interval. */
                        readonly ci: readonly (number)[];
                    };
                } | null;
                /** Larger coverages, and how many labels each would probably need. */
                readonly more: readonly ({
                    readonly threshold: number;
                    readonly coverage: number;
                    readonly labels: number;
                })[];
            } | {
                readonly refused: "too_few_labels";
                readonly labels: number;
                readonly needed: number;
            };
        };
    };
    /** What the caller has seen of the task. */
    readonly TaskPromotion: {
        /** The version that must be in use; `null` or absent: any. */
        readonly version?: number | null | undefined;
        /** The build that must be the shadow build; `null` or absent: any. */
        readonly model?: string | null | undefined;
    };
    /** Credit, limits and prices of the key. */
    readonly Limits: {
        readonly object: "limits";
        readonly key: {
            readonly id: string;
            /** That the operator gave it; null: none. */
            readonly name: string | null;
            /** The last day of the key, ISO 8601, or `never`. */
            readonly expires: string;
        };
        /** The code of the currency of all amounts. */
        readonly currency: string;
        /** What is left of the credit of the workspace. */
        readonly credit: number;
        readonly month: {
            /** What the workspace was charged in this UTC month. */
            readonly charged: number;
            /** The most it may be charged in a UTC month; null: no limit. */
            readonly budget: number | null;
        };
        readonly per_minute: {
            readonly requests: number;
            /** Bytes of request bodies. */
            readonly bytes: number;
        };
        /** Limits of the server, the same for every key. */
        readonly server: {
            /** Of a request. */
            readonly body_bytes: number;
            /** Of a request. */
            readonly questions: number;
            /** Of a question. */
            readonly options: number;
            /** Of a request to `/v1/decisions`. */
            readonly decision_questions: number;
            /** Of a question there; the model may be able to answer fewer. */
            readonly decision_choices: number;
            /** Of a question there. */
            readonly decision_levels: number;
            /** Orders in which a choice is asked. */
            readonly option_rotations: number;
            /** Of a request with option rotations. */
            readonly prompts: number;
            /** That a model reads of a state. */
            readonly state_characters: number;
            /** Of a request. */
            readonly images: number;
            /** Of an image. */
            readonly image_bytes: number;
            /** Of a batch. */
            readonly batch_lines: number;
            /** Of the key at a time. */
            readonly batches_open: number;
        };
        /** The models that the key may use here, and the builds that its workspace names, except the newest of a model. */
        readonly models: readonly ({
            readonly id: string;
            /** Whether it answers requests that name no model. */
            readonly default: boolean;
            readonly reads_images: boolean;
            /** What the model can tell apart; null: it is not loaded. */
            readonly max_options: number | null;
            /** What the state and a question may have together; null while the model is not loaded. */
            readonly context_tokens: number | null;
            /** What the model was trained for, if that is narrow; null: for anything. */
            readonly domain: string | null;
            /** Per million input tokens. */
            readonly prices: {
                readonly live: number;
                readonly batch: number;
            };
        })[];
    };
    /** What the key was charged. */
    readonly Usage: {
        readonly object: "usage";
        readonly key: {
            readonly id: string;
        };
        /** The code of the currency of all amounts. */
        readonly currency: string;
        /** The first UTC day. */
        readonly from: string;
        /** The last UTC day, today. */
        readonly to: string;
        /** By day, model and kind, in this order. Days without charges are left out. */
        readonly data: readonly ({
            readonly day: string;
            readonly model: string;
            readonly kind: "live" | "batch";
            /** Answered requests and batch lines. */
            readonly requests: number;
            readonly input_tokens: number;
            readonly amount: number;
        })[];
        /** The sums of `data`. */
        readonly total: {
            /** Answered requests and batch lines. */
            readonly requests: number;
            readonly input_tokens: number;
            readonly amount: number;
        };
    };
    /** The models served. */
    readonly ModelList: {
        readonly object: "list";
        readonly data: readonly ({
            readonly id: string;
            readonly object: "model";
            readonly owned_by: string;
        })[];
        readonly models: readonly ({
            readonly name: string;
            readonly description: string;
            readonly release_date: string | null;
            /** What the model can tell apart; null: it is not loaded. */
            readonly max_options: number | null;
            readonly reads_images: boolean;
            /** What the state and a question may have together; null while the model is not loaded. */
            readonly context_tokens: number | null;
            /** What the model was trained for, if that is narrow; null: for anything. */
            readonly domain: string | null;
        })[];
    };
    /** The server answers. */
    readonly Health: {
        readonly status: "ok";
    };
    /** The reason of an error. */
    readonly Error: {
        /** One sentence that names the field, the limit and the value. */
        readonly error: string;
        readonly type: "http_version_not_supported" | "headers_too_large" | "not_found" | "host_not_allowed" | "method_not_allowed" | "unauthorized" | "length_required" | "body_too_large" | "unsupported_encoding" | "unsupported_media_type" | "out_of_credit" | "budget_exceeded" | "rate_limited" | "too_many_batches" | "batch_not_found" | "task_not_found" | "batch_not_finished" | "batch_finished" | "request_timeout" | "bad_encoding" | "bad_multipart" | "invalid_jsonl" | "empty_batch" | "too_many_lines" | "invalid_batch" | "invalid_labels" | "too_few_labels" | "no_shadow" | "shadow_changed" | "too_many_labels" | "idempotency_conflict" | "invalid_json" | "invalid_request" | "model_not_found" | "model_not_allowed" | "invalid_webhook_url" | "missing" | "invalid_input" | "invalid_questions" | "too_many_questions" | "invalid_type" | "invalid_question" | "too_many_options" | "invalid_task" | "too_many_tasks" | "invalid_image_budget" | "invalid_assets" | "image_reference_truncated" | "too_many_images" | "unreferenced_asset" | "image_too_large" | "unsupported_image_format" | "image_dimensions" | "remote_image" | "invalid_image" | "images_not_supported" | "batch_unavailable" | "outcome_unknown" | "overloaded" | "model_unavailable" | "internal_error";
    };
    /** The reason of an error. */
    readonly OpenAiError: {
        readonly error: {
            readonly message: string;
            /** The group of the error, as OpenAI names it. */
            readonly type: string;
            /** The place in the body, such as `questions[3].name`. */
            readonly param: string | null;
            readonly code: "http_version_not_supported" | "headers_too_large" | "not_found" | "host_not_allowed" | "method_not_allowed" | "unauthorized" | "length_required" | "body_too_large" | "unsupported_encoding" | "unsupported_media_type" | "out_of_credit" | "budget_exceeded" | "rate_limited" | "too_many_batches" | "batch_not_found" | "task_not_found" | "batch_not_finished" | "batch_finished" | "request_timeout" | "bad_encoding" | "bad_multipart" | "invalid_jsonl" | "empty_batch" | "too_many_lines" | "invalid_batch" | "invalid_labels" | "too_few_labels" | "no_shadow" | "shadow_changed" | "too_many_labels" | "idempotency_conflict" | "invalid_json" | "invalid_request" | "model_not_found" | "model_not_allowed" | "invalid_webhook_url" | "missing" | "invalid_input" | "invalid_questions" | "too_many_questions" | "invalid_type" | "invalid_question" | "too_many_options" | "invalid_task" | "too_many_tasks" | "invalid_image_budget" | "invalid_assets" | "image_reference_truncated" | "too_many_images" | "unreferenced_asset" | "image_too_large" | "unsupported_image_format" | "image_dimensions" | "remote_image" | "invalid_image" | "images_not_supported" | "batch_unavailable" | "outcome_unknown" | "overloaded" | "model_unavailable" | "internal_error";
        };
    };
}
