/* Functions that clients need to find when they are loaded, and that are not built yet: each is
 * refused by its name. No header is included that declares them: parameters are of no use to them.
 */
#define FH_EXPORT __attribute__((visibility("default")))

/* abi.h's; it cannot be included for the reason above. */
int fh_abi_refuse(const char *function);

#define REFUSED(name) \
    FH_EXPORT int name(void); \
    int name(void) \
    { \
        return fh_abi_refuse(__func__); \
    }

/* Kernel binaries. */
REFUSED(aclrtBinaryLoadFromData)
REFUSED(aclrtBinaryGetFunction)
REFUSED(aclrtGetFunctionAddr)
REFUSED(rtDevBinaryRegister)
REFUSED(rtFunctionRegister)
REFUSED(rtKernelLaunch)
REFUSED(rtGetC2cCtrlAddr)

/* Memory of other processes. */
REFUSED(aclrtDeviceGetBareTgid)
REFUSED(aclrtMemExportToShareableHandle)
REFUSED(aclrtMemImportFromShareableHandle)
REFUSED(aclrtMemSetPidToShareableHandle)

/* Calls of the client on a thread of its own. */
REFUSED(aclrtProcessReport)

/* Dumps. */
REFUSED(aclmdlInitDump)
REFUSED(aclmdlSetDump)
REFUSED(aclmdlFinalizeDump)
