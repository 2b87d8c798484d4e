# The man page and the completion scripts, which the program itself writes; after add_executable(foothold).
include(GNUInstallDirs)
set(written ${CMAKE_BINARY_DIR}/written)
file(MAKE_DIRECTORY ${written})
add_custom_command(
    OUTPUT ${written}/foothold.1 ${written}/foothold.bash ${written}/_foothold ${written}/foothold.fish
    COMMAND foothold man >${written}/foothold.1
    COMMAND foothold completion bash >${written}/foothold.bash
    COMMAND foothold completion zsh >${written}/_foothold
    COMMAND foothold completion fish >${written}/foothold.fish
    DEPENDS foothold
    COMMENT "Writing the man page and completion scripts")
add_custom_target(foothold_written ALL
    DEPENDS ${written}/foothold.1 ${written}/foothold.bash ${written}/_foothold ${written}/foothold.fish)
install(FILES ${written}/foothold.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${written}/foothold.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME foothold)
install(FILES ${written}/_foothold DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${written}/foothold.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
